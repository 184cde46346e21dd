// Package scan reads the calls in one region of a model's text. Each syntax of package format,
// which is data, has a [Reader]. It tells whether a region may be its own, and makes a [Scanner],
// which is fed the text while it grows, says where the region ends, and returns the calls in it.
//
// reader.go has what all share, [Opening] too, and the choice among the ways to read strings whose
// quotes are not escaped. The readers:
//
//	json.go, json_read.go                    format.JSON
//	named.go                                 Named
//	python.go                                Python
//	tagged.go                                Tagged and Nested: the states of a call
//	tagged_tag.go, tagged_element.go         tags that hold a name or a key; arguments that are
//	                                         elements of their name, and those of Nested
//	tagged_value.go, tagged_end.go           a value, and where it and its call end
//	react.go, react_labels.go                ReAct; its labels, as models write them
//	react_arguments.go                       arguments that are no object
//	react_text_end.go, react_no_call.go      where a text ends; a step that calls nothing
package scan
