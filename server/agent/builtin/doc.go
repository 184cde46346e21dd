// Package builtin holds the tools that tenon brings itself, and those of a user's own: a command
// or an HTTP endpoint with a schema.
//
// A tool exists only if the configuration names it. [New] gives the settings of a name, the
// configuration fills them, and [Settings.Tool] makes the tool or says what is wrong with them:
//
//	read_file, list_directory, write_file   files below given folders (os.Root)
//	execute_command                         a program in package sandbox
//	web_search, fetch                       a search engine's API; pages with public addresses
//	any other name                          a tool of the user's own ([Own])
//
// What a tool gets from the model is hostile: paths, commands and addresses are checked where they
// are used, by the kernel or at the dial, and not by their spelling. What a tool returns is data.
// TOOLS.md in the folder above tells how to add one.
//
// # Files
//
//	builtin.go                               the names, and what all settings share
//	files.go                                 reading and writing below given folders
//	command.go                               programs, and commands of the user's own
//	web.go, page_text.go                     HTTP requests and searches; the text of a page
package builtin
