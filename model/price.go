package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/policies"
)

// PriceConfig is what tokens cost. It changes nothing of what happens.
type PriceConfig struct {
	Input    Amount  `yaml:"input"`       // of tokens of the prompt; default 0
	Cached   *Amount `yaml:"cached"`      // of those of them that are cached; default as input
	Output   Amount  `yaml:"output"`      // of tokens of the answer; default 0
	Per      int64   `yaml:"per" min:"1"` // for so many tokens; default 1000000
	Currency string  `yaml:"currency"`    // default USD
}

// SetDefaults fills what a scenario leaves out.
func (p *PriceConfig) SetDefaults() { *p = PriceConfig{Per: 1_000_000, Currency: "USD"} }

// Check finds a price of nothing.
func (p PriceConfig) Check() []policies.Problem {
	switch {
	case p.Input == 0 && p.Output == 0 && (p.Cached == nil || *p.Cached == 0):
		return []policies.Problem{{Key: "", Text: "costs nothing; write what tokens cost, such as {input: 2.50, output: 10}, or remove price"}}
	case p.Currency == "":
		return []policies.Problem{{Key: "currency", Text: "is empty; write one such as USD, or remove it"}}
	}
	return nil
}

// Amount is an amount of money, exactly: a number of billionths of a unit.
type Amount int64

// Unit is one of the currency, such as a dollar.
const Unit Amount = 1_000_000_000

// mostAmount leaves room to multiply.
const mostAmount = 1_000_000

// UnmarshalText reads a plain number such as 2.50.
func (a *Amount) UnmarshalText(text []byte) error {
	whole, decimals, hasPoint := strings.Cut(string(text), ".")
	if whole == "" || len(whole) > 1 && whole[0] == '0' || hasPoint && decimals == "" || strings.Trim(whole+decimals, "0123456789") != "" {
		return fmt.Errorf("%q is no amount of money; write one such as 2.50", text)
	}
	if len(decimals) > 9 {
		return fmt.Errorf("%q has more than 9 decimals; write fewer", text)
	}
	n, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", 9-len(decimals)), 10, 64)
	if err != nil || n > mostAmount*int64(Unit) {
		return fmt.Errorf("%q is out of range; write at most %d", text, mostAmount)
	}
	*a = Amount(n)
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Amount) Schema() string {
	return fmt.Sprintf(`{"type": "number", "minimum": 0, "maximum": %d}`, mostAmount)
}

// MarshalText writes the amount as a scenario does.
func (a Amount) MarshalText() ([]byte, error) {
	text := strconv.FormatInt(int64(a/Unit), 10)
	if rest := a % Unit; rest != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", int64(rest)), "0")
	}
	return []byte(text), nil
}

// cost is the money for what was billed, and for what of it nobody received.
func (p *PriceConfig) cost(billed, useful *Making) Cost {
	if p == nil {
		return Cost{Total: Undefined(), Wasted: Undefined()}
	}
	total, used := p.of(billed), p.of(useful)
	return Cost{Total: total, Wasted: total - used, Currency: &p.Currency}
}

func (p *PriceConfig) of(m *Making) Number {
	cached := p.Input
	if p.Cached != nil {
		cached = *p.Cached
	}
	var sum wide
	sum.addProduct(uint64(m.Input-m.Cached), uint64(p.Input))
	sum.addProduct(uint64(m.Cached), uint64(cached))
	sum.addProduct(uint64(m.Output), uint64(p.Output))
	return Number(sum.float() / float64(p.Per) / float64(Unit))
}
