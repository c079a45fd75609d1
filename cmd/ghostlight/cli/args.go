package cli

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ValueArg is TextArg, and "@FILE" for a file's content.
func (app *App) ValueArg(v string) (string, error) {
	path, ok := strings.CutPrefix(v, "@")
	if !ok {
		return app.TextArg(v)
	}
	f, err := os.Open(app.Path(path))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, textLimit+1))
	_ = f.Close() // was only read
	if err == nil && len(data) > textLimit {
		err = fmt.Errorf("%s holds more than %d bytes of text", path, textLimit)
	}
	if err != nil {
		return "", err
	}
	return readable(path, strings.TrimRight(string(data), "\r\n"))
}

// titleLimit is the longest title of a chat, in characters.
const titleLimit = 200

// CheckTitle refuses a title that is too long.
func CheckTitle(title string) error {
	if n := len([]rune(title)); n > titleLimit {
		return UsageError(fmt.Sprintf("a title may have at most %d characters; this one has %d", titleLimit, n))
	}
	_, err := readable("the title", title)
	return err
}

// JSONKind returns what a field takes.
func JSONKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return JSONKind(t.Elem()) + " or default"
	case reflect.Slice:
		return "a list"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}

// TrimBOM takes away the mark that some editors begin a file with.
func TrimBOM(data []byte) []byte { return []byte(strings.TrimPrefix(string(data), "\ufeff")) }

// FileArg returns the text of a file; the path "-" means standard input.
func (app *App) FileArg(path string) (string, error) {
	if path == "-" {
		return app.TextArg(path)
	}
	return app.ValueArg("@" + path)
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe or device would block, or never end
		return nil, fmt.Errorf("%s is not a regular file; - reads standard input", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s holds more than %s", path, ByteSize(limit))
	}
	return os.ReadFile(path)
}

// NumberArg reads a number of at least 1 from the command line.
func NumberArg(arg, what string) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 {
		return 0, UsageError(Quote(arg) + " is not " + what)
	}
	return n, nil
}

// NumberArgBetween reads a number within bounds.
func NumberArgBetween(arg string, least, most int) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("a number from %d to %d, not %s", least, most, Quote(arg))
	}
	return n, nil
}

// textLimit is the longest text that is read from standard input or a file.
const textLimit = 1 << 20

// TextArg returns a text from the command line; "-" means standard input.
func (app *App) TextArg(arg string) (string, error) {
	if arg != "-" {
		return readable("the command line", arg)
	}
	data, err := io.ReadAll(io.LimitReader(app.In, textLimit+1))
	if err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	if len(data) > textLimit {
		return "", fmt.Errorf("standard input holds more than %d bytes of text", textLimit)
	}
	return readable("standard input", strings.TrimRight(string(data), "\r\n"))
}

// readable returns text, or an error that names its source if it is not UTF-8: other text could not
// be stored unchanged.
func readable(from, text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("%s is not UTF-8 text: write it as UTF-8", from)
	}
	return text, nil
}
