package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FormatJSONL is the chat format of SillyTavern. The other formats are those of stories.
const FormatJSONL novel.Format = "jsonl"

// ChatFormats are the formats of exported chats.
var ChatFormats = append([]novel.Format{FormatJSONL}, novel.Formats...)

// ChatFormat returns the format of a file's extension. An unknown one is an error that lists the
// known ones; a file without an extension is JSONL.
func ChatFormat(path string) (novel.Format, error) {
	if f, ok := novel.FormatOf(path); ok {
		return f, nil
	}
	ext := filepath.Ext(path)
	if ext == "" || strings.EqualFold(ext, ".jsonl") {
		return FormatJSONL, nil
	}
	known := []string{".jsonl"}
	for _, e := range novel.Endings {
		known = append(known, e.Ending)
	}
	return "", failure.Refusef("a chat cannot be exported as %s: use one of %s", ext, strings.Join(known, ", "))
}

// ChatEnding returns the usual extension of a format.
func ChatEnding(f novel.Format) string {
	if f == FormatJSONL {
		return ".jsonl"
	}
	return f.Ending()
}

// WriteChat writes a chat in one of ChatFormats.
func (svc *Service) WriteChat(ctx context.Context, chat storage.ChatID, f novel.Format, o StoryOptions,
	w io.Writer) (novel.Report, error) {
	if f == FormatJSONL {
		return novel.Report{}, svc.ExportChat(chat, contextWriter{ctx, w})
	}
	return svc.WriteStory(ctx, chat, f, o, w)
}

// contextWriter is a writer that fails once its context has ended.
type contextWriter struct {
	ctx context.Context
	to  io.Writer
}

func (u contextWriter) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.to.Write(p)
}

// ExportStory writes a chat to a file in the format of its extension, completely or not at all. It
// returns fs.ErrExist for an existing file, unless overwrite is set.
func (svc *Service) ExportStory(ctx context.Context, chat storage.ChatID, path string, overwrite bool,
	o StoryOptions) (at string, r novel.Report, err error) {
	const op = "export"
	f, err := ChatFormat(path)
	if err == nil {
		at, err = filepath.Abs(core.ExpandHome(path))
	}
	if err != nil {
		return "", r, failure.Wrap(op, err)
	}
	err = svc.pictures.Gallery.PutFile(at, overwrite, func(w io.Writer) (err error) {
		r, err = svc.WriteChat(ctx, chat, f, o, w)
		return err
	})
	if err != nil {
		return "", r, failure.Wrap(op, err)
	}
	return at, r, nil
}

// Branch is a branch of a chat in a file of its own.
type Branch struct {
	Path    string         `json:"path"`
	Message storage.NodeID `json:"message"` // the last one
	Shown   bool           `json:"shown"`   // it is the branch that the chat shows
	// Fork is the number of messages shared with the shown branch.
	Fork int    `json:"fork"`
	Name string `json:"name"` // given by the user
}

// ExportBranches writes each branch of a chat into a file of a folder, which must be empty or new.
// The shown branch is named after the chat, the others after the message at which they fork.
// Messages without children have no file: they are swipes of the one that continues.
func (svc *Service) ExportBranches(ctx context.Context, chat storage.ChatID, dir string) ([]Branch, error) {
	const op = "export"
	dir, err := svc.makeEmptyFolder(dir)
	if err != nil {
		return nil, failure.Wrap(op, err)
	}
	var c storage.Chat
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Chats.Get(tx, chat)
		return err
	}); err != nil {
		return nil, failure.Wrap(op, err)
	}
	list, err := svc.writeBranches(ctx, c, dir, fileNames{}, exportOptions{})
	if err != nil {
		return list, failure.Wrap(op, err)
	}
	return list, nil
}

// writeBranches writes the branches of a chat into an existing folder.
func (svc *Service) writeBranches(ctx context.Context, c storage.Chat, dir string, names fileNames,
	o exportOptions) (out []Branch, err error) {
	tree, err := svc.chats.Branches(c.ID, false)
	if err != nil {
		return nil, err
	}
	main := names.unique(c.Title, ".jsonl")
	o.separateBranches = true
	write := func(b Branch, name string, o exportOptions, leaf storage.NodeID) error {
		b.Path = filepath.Join(dir, name)
		out = append(out, b)
		return svc.pictures.Gallery.PutFile(b.Path, false,
			func(w io.Writer) error { return svc.exportPath(c.ID, leaf, &o, contextWriter{ctx, w}) })
	}
	if err := write(Branch{Message: c.Head, Shown: true}, main, o, ""); err != nil {
		return out, err
	}
	parent := strings.TrimSuffix(main, ".jsonl")
	shown := svc.shownEnd(c)
	for i, l := range tree.Segments {
		if !l.Ends || l.Last == shown.ID || l.Name == "" && isSwipe(tree.Segments, i) {
			continue
		}
		at := forkOf(tree.Segments, i)
		b := Branch{Message: l.Last, Fork: min(at.Depth, shown.Depth+1), Name: at.Name}
		above := ownDepth(tree.Segments, i)
		if l.Shown { // it continues below the head
			b.Fork, b.Name = shown.Depth+1, ""
			above = b.Fork
		}
		title := fmt.Sprintf("%s - branch at message %d", parent, b.Fork)
		if b.Fork == 0 {
			title = parent + " - another beginning"
		}
		if b.Name != "" {
			title += " - " + b.Name
		}
		branched := o
		branched.swipeDepth = above
		branched.changeMetadata = func(meta map[string]json.RawMessage) bool {
			if o.changeMetadata != nil {
				o.changeMetadata(meta)
			}
			setParentChat(parent, b, meta)
			return true
		}
		if err := write(b, names.unique(title, ".jsonl"), branched, l.Last); err != nil {
			return out, err
		}
	}
	if tree.More > 0 {
		return out, failure.Refusef("%d branches were exported, %d more were skipped: too many branches",
			len(out), tree.More)
	}
	return out, nil
}

// isSwipe reports whether a segment is a single message without children beside one that continues. It
// is written as a swipe. Pictures are never written to a chat file.
func isSwipe(segments []chats.Segment, i int) bool {
	l, level := segments[i], 0
	if l.Above >= 0 {
		level = segments[l.Above].Level
	}
	return l.Ends && !l.Shown && l.Messages == max(1, l.Pictures) && l.Level > level
}

// shownEnd returns the last message that a chat shows.
func (svc *Service) shownEnd(c storage.Chat) (end storage.NodeInfo) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error { // an empty one on error
		for p := range tx.PathInfos(c.ID, c.Head) {
			if end = p; !p.Deleted {
				break
			}
		}
		return nil
	})
	return end
}

// ownDepth returns the depth from which a branch writes the swipes of its messages. The swipes at
// the fork and above it are written with the branch that it forks from.
func ownDepth(segments []chats.Segment, i int) int {
	for level := segments[i].Level; segments[i].Above >= 0 && segments[segments[i].Above].Level == level; {
		i = segments[i].Above
	}
	return segments[i].Depth + 1
}

// forkOf returns the segment that leaves the shown branch on the way to segment i.
func forkOf(segments []chats.Segment, i int) chats.Segment {
	for !segments[i].Shown && segments[i].Above >= 0 && !segments[segments[i].Above].Shown {
		i = segments[i].Above
	}
	return segments[i]
}

// setParentChat sets the metadata that mark a chat as a branch of another one, as SillyTavern
// does, with the message at which it forks.
func setParentChat(parent string, b Branch, meta map[string]json.RawMessage) {
	delete(meta, "integrity") // it belongs to another file
	for key, v := range map[string]any{"main_chat": parent,
		formats.ForkKey: map[string]any{"message": b.Fork, "name": b.Name}} {
		if text, err := json.Marshal(v); err == nil {
			meta[key] = text
		}
	}
}

// makeEmptyFolder creates a folder or checks that an existing one is empty, and returns its full
// path.
func (svc *Service) makeEmptyFolder(dir string) (string, error) {
	dir, err := filepath.Abs(core.ExpandHome(dir))
	if err != nil {
		return "", err
	}
	list, err := os.ReadDir(dir)
	switch {
	case err == nil && len(list) > 0:
		return "", failure.Refusef("the folder %s is not empty: use an empty or new one", dir)
	case err == nil || errors.Is(err, fs.ErrNotExist):
	default:
		return "", failure.Refusef("%s is not a writable folder: use another one", dir)
	}
	if isInside(svc.core.Config.DataDir, dir) {
		return "", failure.Refusef("%s is inside Ghostlight's data folder: use another folder", dir)
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// isInside reports whether a path is a folder or lies in it.
func isInside(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	for up := path; ; up = filepath.Dir(up) { // the existing part of the path shows its target
		if real, err := filepath.EvalSymlinks(up); err == nil {
			path = filepath.Join(real, strings.TrimPrefix(path, up))
			break
		}
		if filepath.Dir(up) == up {
			break
		}
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
