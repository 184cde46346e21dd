// Package soak holds a long test of the server as a whole, with clients that leave, workers that
// are killed and bodies that are hostile. Run it with
//
//	make soak MINUTES=30               # at least so long
//	make soak MINUTES=30 TURNS=50000   # and until so many turns have ended
//	make soak KILLS=1000               # until so many workers have been killed
//
// Tiny models are served by the real binary. Clients send turns of every protocol, streamed and
// whole, leave some of them early and hold what is answered against the protocol (turns_test.go).
// Meanwhile workers are killed, models take each other's place in memory, and hostile bodies and
// silent connections come (trouble_test.go). What the server holds is read from its metrics while
// nothing runs (meter_test.go): memory, descriptors, goroutines and sequences are to be flat, and
// their growth in 1,000 turns is printed.
//
// It ends by itself, and fails where the server died, an answer was wrong, or something grows.
package soak
