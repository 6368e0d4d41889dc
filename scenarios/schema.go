package scenarios

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the language as a JSON Schema (2020-12), for editors. What it
// accepts [Decode] accepts too, but for what a schema cannot say: that a name is
// defined and not given twice, that keys contradict or want one another (the Check
// methods), how a number is spelled (010, 1e3), and what does not fit into 64 bits.
func Schema() []byte { return schema }
