package policies

// Problem is one mistake in a config struct, found by its Check method.
type Problem struct {
	Key  string // path of the key inside the checked struct, "" for the struct itself
	Text string // what is wrong and what to write
}
