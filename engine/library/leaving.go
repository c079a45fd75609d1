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
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// FormatJSONL is a chat as SillyTavern keeps it. The other formats of chats are those of
// stories.
const FormatJSONL novel.Format = "jsonl"

// ChatFormats are the formats in which a chat leaves.
var ChatFormats = append([]novel.Format{FormatJSONL}, novel.Formats...)

// ChatFormat is the format that a file's ending means. One that is not known is refused,
// with those that are; a file without an ending is JSONL.
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
	return "", failure.Refuse("a chat cannot be exported as %s: use one of %s", ext, strings.Join(known, ", "))
}

// ChatEnding is the usual ending of a format's files.
func ChatEnding(f novel.Format) string {
	if f == FormatJSONL {
		return ".jsonl"
	}
	return f.Ending()
}

// WriteChat writes a chat in one of ChatFormats.
func (svc *Service) WriteChat(ctx context.Context, chat storage.ChatID, f novel.Format, o StoryOptions, w io.Writer) (novel.Report, error) {
	if f == FormatJSONL {
		return novel.Report{}, svc.ExportChat(chat, until{ctx, w})
	}
	return svc.WriteStory(ctx, chat, f, o, w)
}

// until is a writer that ends with a context.
type until struct {
	ctx context.Context
	to  io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.to.Write(p)
}

// ExportStory writes a chat to a file, by its ending, whole or not at all. A file that is
// there is fs.ErrExist, unless it may be replaced.
func (svc *Service) ExportStory(ctx context.Context, chat storage.ChatID, path string, overwrite bool, o StoryOptions) (at string, r novel.Report, err error) {
	const op = "export"
	f, err := ChatFormat(path)
	if err == nil {
		at, err = filepath.Abs(core.ExpandHome(path))
	}
	if err != nil {
		return "", r, failure.Fail(op, err)
	}
	err = svc.shows.Gallery.PutFile(at, overwrite, func(w io.Writer) (err error) {
		r, err = svc.WriteChat(ctx, chat, f, o, w)
		return err
	})
	if err != nil {
		return "", r, failure.Fail(op, err)
	}
	return at, r, nil
}

// Branch is a branch of a chat as a file.
type Branch struct {
	Path    string         `json:"path"`
	Message storage.NodeID `json:"message"` // its last one
	Shown   bool           `json:"shown"`   // it is the one that the chat shows
	// Fork counts the messages that it shares with the shown one, 0 for none.
	Fork int    `json:"fork"`
	Name string `json:"name"` // what the user calls it
}

// ExportBranches writes each branch of a chat into a file of a folder, which must be
// empty or new: the shown one under the chat's title, the others named by where they
// leave it. Messages that nothing followed have no file: they are swipes beside the one that
// goes on.
func (svc *Service) ExportBranches(ctx context.Context, chat storage.ChatID, dir string) ([]Branch, error) {
	const op = "export"
	dir, err := svc.emptyFolder(dir)
	if err != nil {
		return nil, failure.Fail(op, err)
	}
	var c storage.Chat
	if err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, chat); return err }); err != nil {
		return nil, failure.Fail(op, err)
	}
	list, err := svc.writeBranches(ctx, c, dir, fileNames{}, outfit{})
	if err != nil {
		return list, failure.Fail(op, err)
	}
	return list, nil
}

// writeBranches writes the branches of a chat into a folder that is there.
func (svc *Service) writeBranches(ctx context.Context, c storage.Chat, dir string, names fileNames, o outfit) (out []Branch, err error) {
	tree, err := svc.chats.Branches(c.ID, false)
	if err != nil {
		return nil, err
	}
	main := names.take(c.Title, ".jsonl")
	o.branches = true
	write := func(b Branch, name string, o outfit, leaf storage.NodeID) error {
		b.Path = filepath.Join(dir, name)
		out = append(out, b)
		return svc.shows.Gallery.PutFile(b.Path, false, func(w io.Writer) error { return svc.exportPath(c.ID, leaf, &o, until{ctx, w}) })
	}
	if err := write(Branch{Message: c.Head, Shown: true}, main, o, ""); err != nil {
		return out, err
	}
	parent := strings.TrimSuffix(main, ".jsonl")
	shown := svc.shownEnd(c)
	for i, l := range tree.Legs {
		if !l.Ends || l.Last == shown.ID || l.Name == "" && isSwipe(tree.Legs, i) {
			continue
		}
		at := forkOf(tree.Legs, i)
		b := Branch{Message: l.Last, Fork: min(at.Depth, shown.Depth+1), Name: at.Name}
		above := ownDepth(tree.Legs, i)
		if l.Shown { // it goes on below the head
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
		branched.above = above
		branched.meta = func(meta map[string]json.RawMessage) bool {
			if o.meta != nil {
				o.meta(meta)
			}
			forked(parent, b, meta)
			return true
		}
		if err := write(b, names.take(title, ".jsonl"), branched, l.Last); err != nil {
			return out, err
		}
	}
	if tree.More > 0 {
		return out, failure.Refuse("%d branches were exported, %d more were skipped: too many branches", len(out), tree.More)
	}
	return out, nil
}

// isSwipe reports whether a leg is one message that nothing followed, beside one that goes on:
// it is a swipe there. A picture is in no file of a chat at all.
func isSwipe(legs []chats.Segment, i int) bool {
	l, level := legs[i], 0
	if l.Above >= 0 {
		level = legs[l.Above].Level
	}
	return l.Ends && !l.Shown && l.Messages == max(1, l.Pictures) && l.Level > level
}

// shownEnd is the last message that a chat shows.
func (svc *Service) shownEnd(c storage.Chat) (end storage.Place) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error { // an empty one without
		for p := range tx.Spine(c.ID, c.Head) {
			if end = p; !p.Deleted {
				break
			}
		}
		return nil
	})
	return end
}

// ownDepth is the depth from which on the swipes of a branch stand in its file: those beside
// the message with which it leaves another one, and above that, stand in the file of that.
func ownDepth(legs []chats.Segment, i int) int {
	for level := legs[i].Level; legs[i].Above >= 0 && legs[legs[i].Above].Level == level; {
		i = legs[i].Above
	}
	return legs[i].Depth + 1
}

// forkOf is the leg by which a branch leaves the shown one.
func forkOf(legs []chats.Segment, i int) chats.Segment {
	for !legs[i].Shown && legs[i].Above >= 0 && !legs[legs[i].Above].Shown {
		i = legs[i].Above
	}
	return legs[i]
}

// forked says in a chat's metadata of which chat it is a branch, as SillyTavern does, and
// where it leaves it.
func forked(parent string, b Branch, meta map[string]json.RawMessage) {
	delete(meta, "integrity") // it is that of another file
	for key, v := range map[string]any{"main_chat": parent, ecosystem.ForkKey: map[string]any{"message": b.Fork, "name": b.Name}} {
		if text, err := json.Marshal(v); err == nil {
			meta[key] = text
		}
	}
}

// emptyFolder makes a folder, or takes one in which there is nothing, and returns its
// full path.
func (svc *Service) emptyFolder(dir string) (string, error) {
	dir, err := filepath.Abs(core.ExpandHome(dir))
	if err != nil {
		return "", err
	}
	list, err := os.ReadDir(dir)
	switch {
	case err == nil && len(list) > 0:
		return "", failure.Refuse("the folder %s is not empty: use an empty or new one", dir)
	case err == nil || errors.Is(err, fs.ErrNotExist):
	default:
		return "", failure.Refuse("%s is not a writable folder: use another one", dir)
	}
	if inside(svc.core.Config.DataDir, dir) {
		return "", failure.Refuse("%s is inside Ghostlight's data folder: use another place", dir)
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// inside reports whether a path lies in a folder, or is it.
func inside(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	for up := path; ; up = filepath.Dir(up) { // what is there of the path tells where it leads
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
