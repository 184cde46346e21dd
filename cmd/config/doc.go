// Package config is what can be set, where from, and what is in force.
//
// [Settings] is the one source: its field tags give each setting's flag, default and help. The
// flag `--ctx-size` is the environment variable TENON_CTX_SIZE and the key ctx-size of the YAML
// file; a flag wins over the environment, that over the file, that over the default. A key that no
// setting has is an error, wherever it stands.
//
// The file may also hold entries for single models, under models: ([Model]). [Loader.For] says
// what is in force for one of them: its entry's values before the server's.
//
// REFERENCE.md beside this file is printed from the same tags (`go test ./cmd/config -update`).
//
// # Files
//
//	settings.go               every setting, with its default and help
//	numbers.go                the defaults that other packages own
//	load.go                   settings from flags, environment and file, held against their
//	                          bounds
//	file.go                   the YAML file
//	models.go                 entries under models:, and what is in force for one model
//	sections.go, grants.go    entries of what the server executes, and who gets which of it
//	changes.go                what differs when the file is read again
//	print.go                  what is in force, for people
//	nearest.go                "did you mean"
package config
