package scenes

import (
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ExportRecaps writes the path's recaps with all versions, as markdown or json.
func (svc *Service) ExportRecaps(chat storage.ChatID, format string) ([]byte, error) {
	var f scene.File
	err := svc.readChat(chat, "export recaps", func(tx *storage.Tx, c storage.Chat) error {
		f.Chat = c.Title
		list := SpansOf(tx, chat, c.Head)
		for i, s := range list {
			if s.Break == nil || len(s.Break.Versions) == 0 {
				continue
			}
			fs := scene.FileScene{Number: i + 1, Name: s.Break.Name, First: s.first.ID, Last: s.Break.Node,
				Current: s.Break.Current, Running: s.Break.Running,
				Versions: VersionsOf(tx, chat, *s.Break)}
			f.Scenes = append(f.Scenes, fs)
		}
		f.Running = RunningOn(tx, chat, list).list
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case format == "json":
		return scene.ExportJSON(f), nil
	case format == "markdown" || format == "":
		return scene.ExportMarkdown(f), nil
	}
	return nil, failure.Wrap("export recaps",
		failure.Refusef("recaps must be exported as markdown or json, not %q", format))
}

// ImportRecaps imports recaps from a file. A version whose text the scene already has is skipped;
// every other one becomes a new version, the current one last. Scenes are found by their last
// message, otherwise by number.
func (svc *Service) ImportRecaps(chat storage.ChatID, data []byte) (out RecapsRead, err error) {
	f, err := scene.ReadFile(data)
	if err != nil {
		return out, failure.Wrap("import recaps", err)
	}
	err = svc.changeScenes(chat, "import recaps", func(tx *storage.Tx, c storage.Chat) error {
		out = RecapsRead{}
		list := SpansOf(tx, chat, c.Head)
		for _, fs := range f.Scenes {
			b, ok := sceneOfFile(tx, chat, list, fs)
			if !ok {
				out.Warnings = append(out.Warnings, fmt.Sprintf("scene %d (%s) is not in this chat: left out",
					fs.Number, failure.FirstRunes(fs.Name, 60)))
				continue
			}
			n, err := svc.importVersions(tx, chat, b, fs)
			if err != nil {
				return err
			}
			if n > 0 {
				out.Scenes++
			}
			out.Versions += n
		}
		n, err := svc.importRunning(tx, c, list, f.Running)
		out.Versions += n
		return err
	})
	return out, err
}

// sceneOfFile finds the scene that a file speaks of.
func sceneOfFile(tx *storage.Tx, chat storage.ChatID, list []Span, fs scene.FileScene) (storage.Break, bool) {
	if b, err := VisibleBreak(tx, chat, fs.Last); fs.Last != "" && err == nil {
		return b, true
	}
	if i := fs.Number - 1; i >= 0 && i < len(list) && list[i].Break != nil {
		b, err := VisibleBreak(tx, chat, list[i].Break.Node)
		return b, err == nil
	}
	return storage.Break{}, false
}

func (svc *Service) importVersions(tx *storage.Tx, chat storage.ChatID, b storage.Break,
	fs scene.FileScene) (n int, err error) {
	current := storage.RecapID("")
	for i, v := range fs.Versions {
		list := VersionsOf(tx, chat, b)
		if have := slices.IndexFunc(list, func(r storage.Recap) bool { return r.Text == v.Text }); have >= 0 {
			if i == fs.Current {
				current = list[have].ID
			}
			continue
		}
		r := importedVersion(v, storage.SceneRecap)
		if err := svc.AppendVersion(tx, chat, b, r); err != nil {
			return n, err
		}
		if b, err = VisibleBreak(tx, chat, b.Node); err != nil {
			return n, err
		}
		if n++; i == fs.Current {
			current = r.ID
		}
	}
	if at := slices.Index(b.Versions, current); at >= 0 && at != b.Current {
		b.Current = at
		return n, svc.putScene(tx, chat, b)
	}
	return n, nil
}

// importedVersion returns a version out of a file as one of the chat's own.
func importedVersion(v storage.Recap, kind storage.RecapKind) storage.Recap {
	v.ID, v.Kind, v.Origin, v.Covers = storage.RecapID(storage.NewID()), kind, storage.Imported, ""
	return v
}

// importRunning adds running versions at the breaks that they name, or at the last break of the
// path. Their coverage is used only if it ends on the path.
func (svc *Service) importRunning(
	tx *storage.Tx, c storage.Chat, list []Span, versions []storage.Recap,
) (n int, err error) {
	have := map[string]bool{}
	for _, r := range RunningOn(tx, c.ID, list).list {
		have[r.Text] = true
	}
	for _, v := range versions {
		if have[v.Text] || v.Text == "" {
			continue
		}
		have[v.Text] = true
		r := importedVersion(v, storage.RunningRecap)
		if b, err := VisibleBreak(tx, c.ID, v.Node); err != nil || !chats.OnPath(tx, c.ID, c.Head, b.Node) {
			if r.Node = newestBreak(tx, c.ID, c.Head); r.Node == "" {
				return n, nil
			}
		}
		if v.Covers != "" && chats.OnPath(tx, c.ID, r.Node, v.Covers) {
			r.Covers = v.Covers
		}
		if r.CreatedAt.IsZero() {
			r.CreatedAt = svc.core.Config.Now()
		}
		if err := storage.RunningRecaps.Put(tx, c.ID, r); err != nil {
			return n, err
		}
		if err := chooseRunning(tx, c.ID, r); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// ImportScene ends a scene at a message, as in the program that the chat comes from, with the
// recaps that it had.
func (svc *Service) ImportScene(tx *storage.Tx, chat storage.ChatID, n storage.Node, m *formats.SceneMark) error {
	if m == nil {
		return nil
	}
	b := storage.Break{Node: n.ID, Depth: n.Depth, Hidden: m.Hidden, Expanded: m.Expanded,
		Name: failure.FirstRunes(m.Name, 120), Named: m.Name != "",
		CreatedAt: svc.core.Config.Now()}
	if err := storage.Breaks.Put(tx, chat, b); err != nil {
		return err
	}
	for _, v := range m.Versions {
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap,
			Origin: storage.Imported, SceneName: v.SceneName,
			Text: v.Text, Atmosphere: v.Atmosphere, EmotionalBeats: v.EmotionalBeats, Lorebooks: v.Lorebooks}
		if err := svc.AppendVersion(tx, chat, b, r); err != nil {
			return err
		}
		var err error
		if b, err = storage.Breaks.Get(tx, chat, n.ID); err != nil {
			return err
		}
	}
	if m.Current < 0 || m.Current >= len(b.Versions) || m.Current == b.Current {
		return nil
	}
	b.Current = m.Current
	return svc.putScene(tx, chat, b)
}

// ExportScene returns the break at a message in the form of other programs, nil for none.
func ExportScene(tx *storage.Tx, m chats.Message) *formats.SceneMark {
	b, err := storage.Breaks.Get(tx, m.Chat, m.ID)
	if err != nil {
		return nil
	}
	mark := &formats.SceneMark{Hidden: b.Hidden, Name: b.Name, Expanded: b.Expanded, Current: b.Current}
	for _, r := range VersionsOf(tx, m.Chat, b) {
		mark.Versions = append(mark.Versions,
			formats.SceneVersion{SceneName: r.SceneName, Text: r.Text, Atmosphere: r.Atmosphere,
				EmotionalBeats: r.EmotionalBeats, Lorebooks: r.Lorebooks})
	}
	return mark
}
