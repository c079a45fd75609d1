package formats

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

// ErrNotFile is the error of a path without a regular file.
var ErrNotFile = errors.New("not a file that can be read")

// ReadCardFile reads the card at path. It also returns ErrNotFile.
func ReadCardFile(path string) (ImportedCard, error) {
	data, err := readFile(path, MaxCardFile)
	if err != nil {
		return ImportedCard{}, fmt.Errorf("read card %s: %w", quotePath(path), err)
	}
	return ReadCard(path, data)
}

// ReadChatFile reads the chat at path. If no character in it has a name, the name of the file is
// used. It also returns ErrNotFile.
func ReadChatFile(path string) (ChatFile, error) {
	f, err := open(path, MaxChatFile)
	if err != nil {
		return ChatFile{}, fmt.Errorf("read chat %s: %w", quotePath(path), err)
	}
	defer func() { _ = f.Close() }()
	var long *LongChat
	if info, err := f.Stat(); err == nil && info.Size() > MaxChatInMemory {
		long = &LongChat{name: path, open: func() (io.ReadCloser, error) { return open(path, MaxChatFile) }}
	}
	chat, err := readChatFrom(f, long)
	if err != nil {
		return chat, fmt.Errorf("read chat %s: %w", quotePath(path), err)
	}
	if chat.Format == "" && strings.TrimSpace(chat.CharacterName) == "" {
		chat.CharacterName = characterInFileName(path)
		chat.Warnings = append(chat.Warnings,
			fmt.Sprintf("the file does not name the character; the name %s was taken from the file name",
				quoteShort(chat.CharacterName)))
	}
	return chat, nil
}

// characterInFileName returns the character in the name of a chat file, which some programs write
// before the time.
func characterInFileName(path string) string {
	base := filepath.Base(path)
	name, _, _ := strings.Cut(strings.TrimSuffix(base, filepath.Ext(base)), " - ")
	return firstLine(name)
}

// ReadGroupFile reads the group file at path. It also returns ErrNotFile.
func ReadGroupFile(path string) (Group, error) {
	data, err := readFile(path, MaxGroupFile)
	if err != nil {
		return Group{}, fmt.Errorf("read group %s: %w", quotePath(path), err)
	}
	return ReadGroup(path, data)
}

// readFile reads a regular file. Of a growing file it reads at most one byte more than limit.
func readFile(path string, limit int64) ([]byte, error) {
	f, err := open(path, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// open opens a regular file of bounded size. Nothing else is opened, because opening a pipe blocks
// and opening a device can have effects; the file is checked again after opening, in case the path
// changed.
func open(path string, limit int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkRegularFile(info, limit)
	}
	if err != nil {
		return nil, wrapFileError(err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, wrapFileError(err)
	}
	if info, err = f.Stat(); err == nil {
		err = checkRegularFile(info, limit)
	}
	if err != nil {
		_ = f.Close()
		return nil, wrapFileError(err)
	}
	return f, nil
}

func checkRegularFile(info fs.FileInfo, limit int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return wrapf(ErrNotFile, "this is a directory: name a file in it")
	case mode&fs.ModeNamedPipe != 0:
		return wrapf(ErrNotFile, "this is a named pipe: save its content to a file first")
	case mode&fs.ModeSocket != 0:
		return wrapf(ErrNotFile, "this is a socket: name a file")
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return wrapf(ErrNotFile, "this is a device: name a file")
	case !mode.IsRegular():
		return wrapf(ErrNotFile, "this is not a regular file: name one")
	case info.Size() > limit:
		return wrapf(ErrTooLarge, "the file has %s; the limit is %s: make it smaller", formatSize(int(info.Size())),
			formatSize(int(limit)))
	}
	return nil
}

func wrapFileError(err error) error {
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

// PastedPath reports whether pasted or dropped text is the path of one existing card or chat file,
// of a backup or of a folder with such files, and returns the path ready to open. A folder must be
// a whole path, because a word may be the name of one. It accepts paths as terminals and file
// managers write them: plain, quoted, with escaped spaces, as a file URL, and with a leading ~/.
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
		if path, ok := filePath(try); ok && isImportable(path) {
			return path, true
		}
	}
	return "", false
}

// filePath resolves a file URL and a leading ~/.
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

func isImportable(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png", ".json", ".charx", ".jsonl", ".byaf", ".yaml", ".yml", ".webp", ".jpg", ".jpeg", ".story",
		".scenario", ".lorebook":
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular()
	case ".zip":
		info, err := os.Stat(path)
		return err == nil && info.Mode().IsRegular() && filepath.IsAbs(path)
	}
	return filepath.IsAbs(path) && holdsImportable(path, 3)
}

// holdsImportable reports whether a folder holds something to move in: user folders up to deep
// levels down, or importable files.
func holdsImportable(path string, deep int) bool {
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
		case d.Type().IsRegular() && deep == 3 &&
			(strings.HasSuffix(name, ".charx") || strings.HasSuffix(name, ".jsonl")):
			return true
		case d.IsDir() && deep > 1 && (name == "data" || name == "public" || deep < 3 || name == "default-user") &&
			holdsImportable(filepath.Join(path, d.Name()), deep-1):
			return true
		}
	}
	return false
}

// unquote parses one word as a shell does. ok is false for several words and for an unterminated
// quote.
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
