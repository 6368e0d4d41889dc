package report

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
)

//go:generate go run ./echarts/fetch

// echartsFiles holds echarts.min.js if go generate ran before the build.
//
//go:embed echarts/*.*
var echartsFiles embed.FS

// The one build of ECharts that pages use.
const (
	echartsSHA256    = "bf4a223524e40b77c304bec67e1222cf551f14880cf42c69dc046558e11c07b1"
	echartsIntegrity = "sha384-pPi0zxBAoDu6+JXW/C68UZLvBUUtU+7zonhif43rqj7pxsGyqyqzcian2Rj37Rss"
	echartsAddress   = "https://cdn.jsdelivr.net/npm/echarts@5.6.0/dist/echarts.min.js"
)

// CheckECharts says whether a script is echarts.min.js of ECharts 5.6.0.
func CheckECharts(script []byte) error {
	if sum := sha256.Sum256(script); hex.EncodeToString(sum[:]) != echartsSHA256 {
		return fmt.Errorf("this is not dist/echarts.min.js of the npm package echarts@5.6.0: its SHA-256 is %x, not %s", sum, echartsSHA256)
	}
	return nil
}

// embeddedECharts returns the copy made at build time, if there is one.
func embeddedECharts() []byte {
	script, err := echartsFiles.ReadFile("echarts/echarts.min.js")
	if err != nil {
		return nil
	}
	return script
}
