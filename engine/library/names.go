package library

import (
	"strconv"
	"strings"
	"unicode"
)

// fileNames gives files names of their own in one folder.
type fileNames map[string]bool

// longestFileName is how many bytes of a title stand in a file's name.
const longestFileName = 100

// take is a free name for a title, with an ending. Nothing of a title can lead out of the
// folder, or is a name that some system keeps for itself.
func (n fileNames) take(title, ending string) string {
	base := FileName(title)
	name := base + ending
	for i := 2; n[strings.ToLower(name)]; i++ {
		name = base + " " + strconv.Itoa(i) + ending
	}
	n[strings.ToLower(name)] = true
	return name
}

// FileName is a title as the name of a file or a folder, without an ending.
func FileName(title string) string {
	var out strings.Builder
	for _, r := range title {
		switch {
		case out.Len() > longestFileName:
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune("-_.,()'!&+@", r):
			out.WriteRune(r)
		case unicode.IsSpace(r):
			out.WriteByte(' ')
		}
	}
	name := strings.Trim(strings.Join(strings.Fields(out.String()), " "), ". ")
	switch strings.ToLower(strings.SplitN(name, ".", 2)[0]) {
	case "":
		return "untitled"
	case "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3":
		return "_" + name
	}
	return name
}
