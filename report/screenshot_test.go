package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// shoot keeps a picture of the whole page where SCREENSHOTS says.
func (b *browser) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	var out struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &out)
	raw, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		b.t.Fatal(err)
	}
	small := bytes.Buffer{}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(picture)); err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), small.Bytes(), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// paletted returns a picture in its 128 most frequent colours: pages have few, and the
// rest are the edges of letters.
func paletted(picture image.Image) *image.Paletted {
	count := map[color.RGBA]int{}
	bounds := picture.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(-cmp.Compare(count[a], count[b]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	out := image.NewPaletted(bounds, nil)
	for _, c := range colours[:min(128, len(colours))] {
		out.Palette = append(out.Palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for c := range count {
		nearest[c] = uint8(out.Palette.Index(c))
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	return out
}

// The pictures in out/thundering-herd, for those who read without running anything:
//
//	SCREENSHOTS=../out/thundering-herd go test ./report -run ThunderingHerd
func TestThunderingHerdScreenshots(t *testing.T) {
	if os.Getenv("SCREENSHOTS") == "" {
		t.Skip("SCREENSHOTS names no folder")
	}
	b := startBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	writePage(t, path, herdPage(t))
	b.open(path, 1280, false)
	b.shoot("report-1280-light")
	b.open(path, 400, true)
	b.shoot("report-400-dark")
}
