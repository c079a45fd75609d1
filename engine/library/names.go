package library

import (
	"strconv"
	"strings"
	"unicode"
)

// fileNames are the used names in one folder.
type fileNames map[string]bool

// maxTitleBytes limits the bytes of a title in a file name.
const maxTitleBytes = 100

// unique returns an unused name for a title. A title cannot lead out of the folder or become a
// name that an operating system reserves.
func (n fileNames) unique(title, ending string) string {
	base := FileName(title)
	name := base + ending
	for i := 2; n[strings.ToLower(name)]; i++ {
		name = base + " " + strconv.Itoa(i) + ending
	}
	n[strings.ToLower(name)] = true
	return name
}

// FileName returns a title as the name of a file or a folder, without extension.
func FileName(title string) string {
	var out strings.Builder
	for _, r := range title {
		switch {
		case out.Len() > maxTitleBytes:
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
