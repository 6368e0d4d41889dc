package sim

// Key names a random number. A key made by [NewKey] names a group; [Key.At]
// leads from it to a client, an operation, an attempt, a purpose. The same path
// gives the same number whatever else happens, and whoever asks first. A key is
// a value, safe for concurrent use.
type Key uint64

// golden is 2^64 divided by the golden ratio, odd: the step of SplitMix64
// (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
const golden = 0x9e3779b97f4a7c15

// mix is the finaliser of SplitMix64: a bijection, variant 13 of David Stafford's
// "Better bit mixing" (2011), an improvement on MurmurHash3's.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// NewKey returns the key of a group from the run's seed, any value, and the
// group's name.
func NewKey(seed uint64, name string) Key {
	h := uint64(0xcbf29ce484222325) // FNV-1a, 64 bits
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return Key(mix(mix(seed+golden) + h))
}

// At returns the n-th child. Children of one key differ.
func (k Key) At(n uint64) Key { return Key(mix(uint64(k) + (n+1)*golden)) }

// Uniform returns the key's number in [0,1), a multiple of 2^-53.
func (k Key) Uniform() float64 { return float64(k>>11) * 0x1p-53 }
