//go:build race

package experiment

const raceDetector = true // makes the long tests shorter
