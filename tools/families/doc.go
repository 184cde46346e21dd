// Package families lists the formats of known model families, one file each.
package families
