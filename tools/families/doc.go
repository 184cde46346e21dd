// Package families lists the formats of known model families, by how their calls are written.
//
// Files: json.go (JSON objects), named.go (the tool's name first, and Python), tagged.go
// (arguments between tags), tenon_formats.go (tenon's own formats), list.go (what several share;
// [Lookup]).
package families
