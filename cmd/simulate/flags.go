package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/scenarios"
)

// text is a flag whose value may not be empty.
type text struct {
	to    *string
	once  bool // given twice is a mistake, and not the last one's turn
	given bool
}

func (t *text) Set(value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return errors.New("has no value; write one, or leave the flag out")
	case t.once && t.given:
		return errors.New("is given twice; write it once")
	}
	*t.to, t.given = value, true
	return nil
}

func (t *text) String() string { return *t.to }
func (t *text) Type() string   { return "string" }

// number is a flag that takes a whole number from 1, written as in a scenario.
type number struct{ to *int }

func (n number) Set(value string) error {
	i, err := strconv.Atoi(value)
	switch {
	case errors.Is(err, strconv.ErrRange) && value[0] != '-':
		return fmt.Errorf("%s is far too large", value)
	case err != nil, i < 1, value != strconv.Itoa(i):
		return fmt.Errorf("%q: write a whole number from 1", value)
	}
	*n.to = i
	return nil
}

func (n number) String() string { return strconv.Itoa(*n.to) }
func (n number) Type() string   { return "int" }

// flagMistake says what is wrong with the flags of a verb.
func flagMistake(err error, verb string, flags *pflag.FlagSet) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &value):
		cause := value.Unwrap()
		switch value.GetFlag().Value.(type) {
		case *text, *factor, number, *rateCap:
			return badInput("--%s %w", value.GetFlag().Name, cause)
		}
		return badInput("--%s %q: write true or false, or the flag alone", value.GetFlag().Name, value.GetValue())
	case errors.As(err, &bare):
		return badInput("--%s needs a value; `simulate %s --help` lists the flags", bare.GetSpecifiedName(), verb)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		near := scenarios.Closest(unknown.GetSpecifiedName(), names)
		if near != "" {
			near = "; did you mean --" + near + "?"
		}
		return badInput("there is no flag --%s%s (`simulate %s --help` lists the flags)", unknown.GetSpecifiedName(), near, verb)
	}
	return badInput("%w; `simulate %s --help` lists the flags", err, verb)
}
