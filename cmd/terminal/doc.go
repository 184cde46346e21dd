// Package terminal is where commands write: a person at a terminal gets tables, colour and moving
// progress, a pipe gets lines of tab-separated values and nothing that moves.
//
//	s := terminal.New(os.Stdin, os.Stdout, os.Stderr)
//	s.Table([]string{"name", "size"}, rows)          // a table, or TSV
//	bar := s.Bar("gemma.gguf", terminal.Bytes)       // on stderr; silent where nobody looks
//	bar.Set(done, total); bar.End()
//	line, err := s.Lines().Read("> ")                // at a terminal with editing and history
//
// NO_COLOR turns colour off.
package terminal
