package report

import "gonum.org/v1/plot/vg"

// glyph adds the mark of a role's dots to a path, a shape of its own for each, and
// says whether it is to be filled.
func glyph(p *vg.Path, role Role, at vg.Point, r vg.Length) (fill bool) {
	corners := func(points ...[2]vg.Length) {
		for i, d := range points {
			to := at.Add(vg.Point{X: d[0] * r, Y: d[1] * r})
			if i == 0 {
				p.Move(to)
			} else {
				p.Line(to)
			}
		}
		p.Close()
	}
	stroke := func(x0, y0, x1, y1 vg.Length) {
		p.Move(at.Add(vg.Point{X: x0 * r, Y: y0 * r}))
		p.Line(at.Add(vg.Point{X: x1 * r, Y: y1 * r}))
	}
	switch role {
	case RoleRejected:
		stroke(-0.8, -0.8, 0.8, 0.8)
		stroke(-0.8, 0.8, 0.8, -0.8)
		return false
	case RoleCancelled:
		stroke(-1, 0, 1, 0)
		stroke(0, -1, 0, 1)
		return false
	case RoleErrored:
		corners([2]vg.Length{0, 1.1}, [2]vg.Length{1.1, -0.8}, [2]vg.Length{-1.1, -0.8})
	case RoleTimedOut:
		corners([2]vg.Length{0, 1.2}, [2]vg.Length{1.2, 0}, [2]vg.Length{0, -1.2}, [2]vg.Length{-1.2, 0})
	case RoleIncomplete:
		corners([2]vg.Length{-0.9, -0.9}, [2]vg.Length{0.9, -0.9}, [2]vg.Length{0.9, 0.9}, [2]vg.Length{-0.9, 0.9})
	default:
		corners([2]vg.Length{-0.4, 1}, [2]vg.Length{0.4, 1}, [2]vg.Length{1, 0.4}, [2]vg.Length{1, -0.4},
			[2]vg.Length{0.4, -1}, [2]vg.Length{-0.4, -1}, [2]vg.Length{-1, -0.4}, [2]vg.Length{-1, 0.4})
		return role != RoleInFlight
	}
	return true
}
