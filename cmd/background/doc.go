// Package background runs a server behind the terminal: what `tenon start`, stop, restart, status
// and logs do.
//
//	where, err := background.Default() // the folder of its record and its log
//	r, err := where.Start(ctx, background.Command{Args: args}, ready)
//	r, ok := where.Running()
//	err = where.Stop(ctx)
//
// Start returns once ready says so, or with what the server said last. There is one such server
// for each folder. Its record, server.json, holds its process and how it was started; a record
// whose process is gone is none. [Unit] writes what systemd and launchd need to run it instead.
package background
