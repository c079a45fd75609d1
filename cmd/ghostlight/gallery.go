package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
)

// galleryCommands are those about pictures that are there.
func (d *door) galleryCommands() []*cobra.Command {
	return []*cobra.Command{d.captureGallery(), d.captureExport(), d.captureSheet(), d.captureOpen()}
}

// gallerySceneShape is a scene of a chat with its captures. Number is 0 for those
// of other branches.
type gallerySceneShape struct {
	Number   int                `json:"number"`
	Name     string             `json:"name"`
	Last     storage.NodeID     `json:"last"` // the scene's last message, "" for the open one
	Captures []galleryItemShape `json:"captures"`
}

type galleryItemShape struct {
	captureShape
	Variant  int  `json:"variant"` // from 1
	Variants int  `json:"variants"`
	Avatar   bool `json:"avatar"`
}

func (d *door) captureGallery() *cobra.Command {
	return &cobra.Command{Use: "gallery CHAT", Short: "list a chat's captures by scene, in the story's order", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Pictures.Gallery(c.ID)
			if err != nil {
				return err
			}
			doc := []gallerySceneShape{}
			for _, s := range list {
				shape := gallerySceneShape{s.Number, s.Name, s.Last, []galleryItemShape{}}
				for _, c := range s.Captures {
					shape.Captures = append(shape.Captures, galleryItemShape{d.shapeCapture(c.Capture), c.Variant, c.Variants, c.Avatar})
				}
				doc = append(doc, shape)
			}
			return d.tell(doc, func(p *page) { galleryPage(p, list) })
		})}
}

func galleryPage(p *page, list []pictures.GalleryScene) {
	for i, s := range list {
		if i > 0 {
			p.line("")
		}
		switch {
		case s.Number == 0:
			p.line("from other branches")
		default:
			p.line(strings.TrimSpace(fmt.Sprintf("scene %d  %s", s.Number, oneLine(s.Name))))
		}
		rows := [][]string{}
		for _, c := range s.Captures {
			var marks []string
			if c.Variants > 1 {
				marks = append(marks, fmt.Sprintf("variant %d of %d", c.Variant, c.Variants))
			}
			if c.Avatar {
				marks = append(marks, "avatar")
			}
			rows = append(rows, []string{"  " + string(c.ID), c.Kind, string(c.Status), clip(first(c.ImagePrompt, c.Prompt, c.Requested), columnLimit), strings.Join(marks, ", ")})
		}
		p.table(rows)
	}
}

func (d *door) captureExport() *cobra.Command {
	var o pictures.ExportOptions
	var chat string
	c := &cobra.Command{Use: "export ID [PATH]", Short: "write a capture's picture to a file, without what ComfyUI wrote into it", Args: takes(0, 2),
		Long: "Write a capture's picture to a file: as PATH, into the folder PATH, or into this folder; to standard output for -. With --chat, write all pictures of a chat into a folder.\n\n" +
			"ComfyUI writes the whole workflow into its pictures, the prompt included. It is taken out, and so is all else that is not the picture, unless --keep-graph says otherwise.",
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			if chat != "" {
				if len(args) > 1 {
					return misuse{"with --chat only a folder is named"}
				}
				return d.exportAll(e, chat, first(append(args, ".")...), o)
			}
			if len(args) == 0 {
				return misuse{"name a capture, or a chat with --chat"}
			}
			c, err := e.Pictures.FindCapture(args[0])
			if err != nil {
				return err
			}
			if len(args) > 1 && args[1] == "-" {
				return d.pourPicture(e, c, o)
			}
			path, err := e.Pictures.ExportCapture(c.ID, first(append(args[1:], ".")...), o)
			if err != nil {
				return orForce(err)
			}
			return d.tellFile(path, map[string]any{"id": c.ID})
		})}
	c.Flags().StringVar(&chat, "chat", "", "export all pictures of `CHAT`")
	c.Flags().BoolVar(&o.KeepGraph, "keep-graph", false, "leave in the file what ComfyUI wrote into it")
	c.Flags().BoolVar(&o.Overwrite, "force", false, "replace files that exist")
	return c
}

// pourPicture writes a capture's picture to standard output, as it would be
// exported.
func (d *door) pourPicture(e *engine.Engine, c storage.Capture, o pictures.ExportOptions) error {
	switch {
	case d.json:
		return misuse{"- and --json both want standard output"}
	case isTerminal(d.out):
		return misuse{"a picture is nothing for a terminal; name a file"}
	}
	dir, err := os.MkdirTemp("", "ghostlight-")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := e.Pictures.ExportCapture(c.ID, dir, o)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	d.said = true
	_, err = d.out.Write(data)
	return err
}

// orForce adds to an error about a file that is there how to replace it.
func orForce(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s; --force replaces it", failure.Words(err))
	}
	return err
}

// tellFile says where a file was written. more are further keys of the document.
func (d *door) tellFile(path string, more map[string]any) error {
	doc := map[string]any{"path": path, "format": strings.ToLower(strings.TrimPrefix(filepath.Ext(path), ".")), "bytes": int64(0)}
	if info, err := os.Stat(path); err == nil {
		doc["bytes"] = info.Size()
	}
	for k, v := range more {
		doc[k] = v
	}
	return d.tell(doc, func(p *page) { p.line(path) })
}

type exportedShape struct {
	ID    storage.CaptureID `json:"id"`
	Path  string            `json:"path"` // "" where it could not be written
	Error string            `json:"error,omitempty"`
}

func (d *door) exportAll(e *engine.Engine, ref, dir string, o pictures.ExportOptions) error {
	chat, err := e.Chats.Find(ref)
	if err != nil {
		return err
	}
	list, err := e.Pictures.ExportAll(chat.ID, dir, o)
	if err != nil {
		return err
	}
	doc := []exportedShape{}
	failed := 0
	for _, x := range list {
		shape := exportedShape{ID: x.Capture, Path: x.Path}
		if x.Err != nil {
			failed++
			shape.Error = failure.Words(orForce(x.Err))
		}
		doc = append(doc, shape)
	}
	err = d.tell(doc, func(p *page) {
		for _, x := range doc {
			if x.Error == "" {
				p.line(x.Path)
			}
		}
	})
	if err != nil || failed == 0 {
		return err
	}
	if !d.json {
		for _, x := range doc {
			if x.Error != "" {
				d.note("%s: %s", x.ID, x.Error)
			}
		}
	}
	return fmt.Errorf("%d of %d pictures were not exported", failed, len(doc))
}

func (d *door) captureSheet() *cobra.Command {
	var force bool
	c := &cobra.Command{Use: "sheet CHAT FILE", Short: "write all pictures of a chat to one file: a .png, or an .html with the story", Args: takes(2, 2),
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			path, err := e.Pictures.ContactSheet(c.ID, args[0], force)
			if err != nil {
				return orForce(err)
			}
			return d.tellFile(path, nil)
		})}
	c.Flags().BoolVar(&force, "force", false, "replace the file if it exists")
	return c
}

func (d *door) captureOpen() *cobra.Command {
	return &cobra.Command{Use: "open ID", Short: "show a capture's picture in the system's viewer", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.captureWork(func(_ context.Context, e *engine.Engine, c storage.Capture) error {
			path := e.Pictures.CapturePath(c)
			if path == "" {
				return errors.New("this capture has no picture yet")
			}
			if _, err := os.Stat(path); err != nil {
				return err
			}
			if err := e.House.OpenExternally(path); err != nil {
				return fmt.Errorf("the viewer could not be started: %w; the picture is %s", err, path)
			}
			return d.tellFile(path, map[string]any{"id": c.ID})
		})}
}
