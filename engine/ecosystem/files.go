package ecosystem

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrNotFile is a path at which there is no ordinary file to read.
var ErrNotFile = errors.New("not a file that can be read")

// ReadCardFile reads the card at path. Beyond the errors of ReadCard there is
// ErrNotFile.
func ReadCardFile(path string) (Imported, error) {
	data, err := readFile(path, MaxCardFile)
	if err != nil {
		return Imported{}, fmt.Errorf("read card %s: %w", shown(path), err)
	}
	return ReadCard(path, data)
}

// ReadChatFile reads the chat at path. One in which no character has a name is called
// after its file. Beyond the errors of ReadChat there is ErrNotFile.
func ReadChatFile(path string) (ChatFile, error) {
	f, err := open(path, MaxChatFile)
	if err != nil {
		return ChatFile{}, fmt.Errorf("read chat %s: %w", shown(path), err)
	}
	defer func() { _ = f.Close() }()
	var long *LongChat
	if info, err := f.Stat(); err == nil && info.Size() > HeldChat {
		long = &LongChat{name: path, open: func() (io.ReadCloser, error) { return open(path, MaxChatFile) }}
	}
	chat, err := chatFrom(f, long)
	if err != nil {
		return chat, fmt.Errorf("read chat %s: %w", shown(path), err)
	}
	if chat.Format == "" && strings.TrimSpace(chat.CharacterName) == "" {
		chat.CharacterName = namedByFile(path)
		chat.Warnings = append(chat.Warnings, fmt.Sprintf("the file does not name the character; the name %s was taken from the file name", brief(chat.CharacterName)))
	}
	return chat, nil
}

// namedByFile is the character that a chat's file is named after: programs call it so,
// with the time behind it.
func namedByFile(path string) string {
	base := filepath.Base(path)
	name, _, _ := strings.Cut(strings.TrimSuffix(base, filepath.Ext(base)), " - ")
	return firstLine(name)
}

// ReadGroupFile reads the group file at path. Beyond the errors of ReadGroup there is
// ErrNotFile.
func ReadGroupFile(path string) (Group, error) {
	data, err := readFile(path, MaxGroupFile)
	if err != nil {
		return Group{}, fmt.Errorf("read group %s: %w", shown(path), err)
	}
	return ReadGroup(path, data)
}

// readFile reads an ordinary file, and of one that grows one byte more than limit.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := open(path, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// open opens an ordinary file of bounded size. What else may stand at a path is
// not touched, because opening a pipe waits and opening a device can act; it is
// asked again after opening, in case the path changed in between.
func open(path string, limit int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = ordinary(info, limit)
	}
	if err != nil {
		return nil, fileFault(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fileFault(err)
	}
	if info, err = f.Stat(); err == nil {
		err = ordinary(info, limit)
	}
	if err != nil {
		_ = f.Close()
		return nil, fileFault(err)
	}
	return f, nil
}

func ordinary(info fs.FileInfo, limit int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return fault(ErrNotFile, "this is a directory: name a file in it")
	case mode&fs.ModeNamedPipe != 0:
		return fault(ErrNotFile, "this is a named pipe: save its content to a file first")
	case mode&fs.ModeSocket != 0:
		return fault(ErrNotFile, "this is a socket: name a file")
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return fault(ErrNotFile, "this is a device: name a file")
	case !mode.IsRegular():
		return fault(ErrNotFile, "this is not a regular file: name one")
	case info.Size() > limit:
		return fault(ErrTooLarge, "the file has %s; the limit is %s: make it smaller", size(int(info.Size())), size(int(limit)))
	}
	return nil
}

func fileFault(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: there is no such file: check the path (%w)", ErrNotFile, fs.ErrNotExist)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: permission denied: change its permissions (%w)", ErrNotFile, fs.ErrPermission)
	case errors.Is(err, ErrNotFile), errors.Is(err, ErrTooLarge):
		return err
	}
	return fmt.Errorf("%w: %w", ErrNotFile, err)
}

const maxPath = 4096

// PastedPath reports whether text that was pasted or dropped is the path of one
// card or chat file, of a backup or of a folder with such files that exists, and returns
// the path ready to open. Of folders only whole paths count: a word may be the name of one. It knows
// the ways in which terminals and file managers write paths: as they are, in
// quotes, with escaped spaces, as a file address; and a leading ~/.
func PastedPath(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxPath || strings.ContainsAny(text, "\x00\r\n") {
		return "", false
	}
	tries := []string{text}
	if word, ok := unquote(text); ok && word != text {
		tries = append(tries, word)
	}
	for _, try := range tries {
		if path, ok := filePath(try); ok && importable(path) {
			return path, true
		}
	}
	return "", false
}

// filePath resolves a file address and a leading ~/.
func filePath(s string) (string, bool) {
	if len(s) >= 7 && strings.EqualFold(s[:7], "file://") {
		u, err := url.Parse(s)
		if err != nil || (u.Host != "" && !strings.EqualFold(u.Host, "localhost")) || strings.ContainsRune(u.Path, 0) {
			return "", false
		}
		path := u.Path
		if runtime.GOOS == "windows" {
			path = strings.TrimPrefix(path, "/")
		}
		return filepath.FromSlash(path), path != ""
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, rest), err == nil
	}
	return s, true
}

func importable(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".json", ".charx", ".jsonl", ".byaf", ".yaml", ".yml", ".webp", ".jpg", ".jpeg", ".story", ".scenario", ".lorebook":
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	case ".zip":
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular() && filepath.IsAbs(path)
	}
	return filepath.IsAbs(path) && movable(path, 3)
}

// movable reports whether a folder holds what can be moved in, as far as a look shows:
// folders of a user's, some folders deep, or files of a kind that is read.
func movable(path string, deep int) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	list, err := f.ReadDir(200)
	if err != nil {
		return false
	}
	for _, d := range list {
		name := strings.ToLower(d.Name())
		switch {
		case d.IsDir() && (name == "characters" || name == "chats" || name == "worlds" || name == "group chats"):
			return true
		case d.Type().IsRegular() && deep == 3 && (strings.HasSuffix(name, ".charx") || strings.HasSuffix(name, ".jsonl")):
			return true
		case d.IsDir() && deep > 1 && (name == "data" || name == "public" || deep < 3 || name == "default-user") && movable(filepath.Join(path, d.Name()), deep-1):
			return true
		}
	}
	return false
}

// unquote reads one word the way a shell does. ok is false for several words and
// for an open quote.
func unquote(s string) (word string, ok bool) {
	var out strings.Builder
	var quote byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\':
			out.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && runtime.GOOS == "windows":
			out.WriteByte(c)
		case c == '\\':
			if i++; i == len(s) {
				return "", false
			}
			if quote == '"' && !strings.ContainsRune("\\\"$`", rune(s[i])) {
				out.WriteByte('\\')
			}
			out.WriteByte(s[i])
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t':
			return "", false
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), quote == 0
}
