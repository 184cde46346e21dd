// Package adapter says how a model is helped with its tools: what is simplified for it, whether
// and in which words it is told how to call, how often it may try again, and whether calls that
// come again are dropped.
//
//	set, faults := adapter.Open(dir)  // the presets, and a file for each adapter
//	a, why, err := set.For("Org/Some-Coder-30B", "")
//	teaching := a.Over(server)        // what the adapter leaves out is as the server has it
//
// An adapter is found by the name that a model's entry gives, else by a part of the model's name:
// the longest part wins, and of equally long ones that of the adapter that comes first. A model
// that none fits gets the adapter called default, which changes nothing unless a file says
// otherwise. The presets serve those alone who name them: no figure tells yet that they help.
package adapter
