// Package disk keeps copies of the KV cache in files, so that a worker that is started again need
// not read the conversations of its predecessor once more.
//
//	folder, known := disk.Open(path, fingerprint) // known are the copies of earlier workers
//	file, err := folder.Write(entry, time.Now())  // a file is a schedule.Data
//	err = file.Read(load)
//
// Below the folder each owner has one of its own: to delete what is kept of an owner, delete that.
// A file is one copy. It begins with what it is a copy of: the tokens, and the fingerprint of
// everything that gives cells their meaning. It is written under another name and renamed when it
// is whole, and has checksums: a process may be killed, and the machine lose power, at any time.
// What is damaged, or was written by another engine or for another model, is deleted, and logged.
package disk
