//go:build race

package sim

const raceDetector = true // makes the long tests shorter
