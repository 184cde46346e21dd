// Command bench compares tenon with llama-server: the same models, threads and requests, both served over loopback, taking
// turns in one run, so that whatever else the machine does meets both alike. make bench builds what it needs and runs it.
//
//	go run ./cmd/bench -tenon bin/tenon -llama-server PATH -model model.gguf
//
// contender.go starts and ends the servers, request.go speaks to them, rows.go says what is measured, table.go prints it.
// llama-server runs twice, with flash attention and without, and each row takes the better one. A figure is the median of
// the runs. Where llama-server is not there the rows that compare with it say so.
package main
