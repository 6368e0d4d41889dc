package report

// Chart describes a picture: what gonum/plot draws as SVG and PNG, what ECharts
// shows in the explorer, and what the table under it lists.
type Chart struct {
	ID     string
	Title  string
	Reads  string // how to read it, in one plain sentence
	Panels []Panel
	Says   []string // what is seen in it, a sentence each
	Notes  []string // what was left out
	CanLog bool     // its counts make sense on a logarithmic scale
	Table  DataTable
	Empty  string // said instead of the picture, where there is nothing to draw

	Abreast int // how many panels stand beside each other in a file of its own; 0 is 1
}

// Panel is one coordinate system of a chart. Panels stand below each other.
type Panel struct {
	Title  string
	About  string // after the title, less loud
	Height int    // of its plot, in pixels
	X, Y   ChartAxis
	Rows   []string // names of Y's values 0, 1, ...; nil where they are numbers
	Cols   []string // the same of X
	Series []ChartSeries
	Rules  []Rule
	Bands  []Band
	Slot   float64 // width of its bars and steps, in units of X; 0 where they differ
}

// ChartAxis is one axis of a panel.
type ChartAxis struct {
	Title    string
	Unit     AxisUnit
	Min, Max float64
	Log      bool
	Fine     bool // its numbers need not be whole
}

// AxisUnit says how an axis writes its values.
type AxisUnit uint8

// The units of axes.
const (
	Numbers AxisUnit = iota
	Seconds
	Shares    // 0 to 1, written as percentages
	Changes   // the same with a sign
	Multiples // of something
)

// ChartSeries is what is drawn in one colour. Points ascend in X, but for dots and spans.
type ChartSeries struct {
	Name   string
	Role   Role
	Mark   Mark
	Points []Point
	Silent bool // drawn, but another series says what there is to say of it
}

// lined says whether a series is a line with nothing below it.
func (s *ChartSeries) lined() bool {
	return s.Mark == Line || s.Mark == Rise || s.Mark == Steps && s.Role.look().dashes != nil
}

// Mark is how a series is drawn.
type Mark uint8

// The marks.
const (
	Bars  Mark = iota // from Y0 to Y, Slot wide
	Steps             // Y holds from X to X+Slot; NaN is a gap
	Line              // joins points; NaN is a gap
	Rise              // a line that holds until the next point
	Dots
	Spans     // from X to X2 in row Y
	Intervals // from X to X2 in row Y, with a mark at Mid
	Ribbon    // between Y0 and Y, from point to point; NaN is a gap
	Tiles     // from X to X2 in row Y, and as high, with Label in it
)

// Point is one value of a series.
type Point struct {
	X, X2 float64
	Mid   float64
	Y0, Y float64
	Note  string // what else there is to say of it
	Label string // in a tile
}

// Rule is a line across a panel.
type Rule struct {
	At       float64
	Vertical bool
	Label    string
	Left     bool // the label stands at the left end
	Role     Role
}

// Band shades a stretch of the X axis.
type Band struct {
	From, To float64
	Label    string
}

// DataTable lists what a chart shows.
type DataTable struct {
	Head []string
	Rows [][]string
	Note string
}
