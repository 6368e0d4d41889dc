package scenarios

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the word that the user most likely meant, or "" where none is near.
func Closest(given string, words []string) string { return closest(given, words) }

// closest returns the word that the user most likely meant, of equals the longest, or
// "" where none is near.
func closest(given string, words []string) string {
	given = strings.ToLower(shorten(given))
	words = words[:min(len(words), 2000)]
	best, least, letters := "", 4, utf8.RuneCountInString(given)
	for _, w := range words {
		near := min(3, max(1, letters/3))
		if letters > 3 && strings.HasPrefix(strings.ToLower(w), given[:1]) {
			near = max(2, near)
		}
		d, size := distance(given, strings.ToLower(w)), utf8.RuneCountInString(w)
		if d <= near && d < size && (d < least || d == least && size > utf8.RuneCountInString(best)) {
			best, least = w, d
		}
	}
	return best
}

// didYouMean is "; did you mean X?", or "" where nothing is near.
func didYouMean(given string, words []string) string {
	if w := closest(given, words); w != "" {
		return "; did you mean " + bareWord(w) + "?"
	}
	return ""
}

// orAnyOf is didYouMean, or all the words where nothing is near and they are few.
func orAnyOf(given string, words []string) string {
	const most = 12
	if near := didYouMean(given, words); near != "" || len(words) == 0 || len(words) > most {
		return near
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = bareWord(w)
	}
	return "; write " + either(quoted)
}

// distance counts the letters to insert, remove, replace or swap with their
// neighbour to make a into b; _ and - are the same letter here.
func distance(a, b string) int {
	s, t := []rune(strings.ReplaceAll(a, "-", "_")), []rune(strings.ReplaceAll(b, "-", "_"))
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
