// Package bench holds a test that compares tenon with llama-server: make bench builds what it
// needs and runs it. Both serve the same models over loopback, with the same threads and requests.
// They take turns in one run, so that whatever else the machine does meets both alike.
//
// contender_test.go starts and ends the servers, request_test.go speaks to them, rows_test.go says
// what is measured, table_test.go prints it. llama-server runs twice, with flash attention and
// without, and each row takes the better one. A figure is the median of the runs. Where
// llama-server is not there the rows that compare with it say so. The tests of all this are in the
// files own_*_test.go.
package bench
