package scenarios_test

import (
	"testing"

	"github.com/stampede-sim/stampede/scenarios"
)

func TestTheSchemaIsThatOfTheStructs(t *testing.T) {
	got, err := scenarios.GenerateSchema()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "schema.json", string(got))
}
