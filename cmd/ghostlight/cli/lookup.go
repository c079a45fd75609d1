package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// With returns a command's function that works on the thing that the first argument names. find
// finds the thing; args are the arguments after it.
func With[T any](app *App, find func(e *engine.Engine, ref string) (T, error),
	w func(ctx context.Context, e *engine.Engine, v T, args []string) error) func(*cobra.Command, []string) error {
	return app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
		v, err := find(e, args[0])
		if err != nil {
			return err
		}
		return w(ctx, e, v, args[1:])
	})
}

// Chats are the chats as commands refer to them.
var Chats = Noun[storage.Chat]{
	Find:   func(e *engine.Engine, ref string) (storage.Chat, error) { return e.Chats.Find(ref) },
	List:   func(e *engine.Engine) ([]storage.Chat, error) { return chatsOf(e) },
	Called: func(c storage.Chat) (id, name string) { return string(c.ID), c.Title },
}

func chatsOf(e *engine.Engine) (list []storage.Chat, err error) {
	all, err := e.Chats.List()
	for _, c := range all {
		list = append(list, c.Chat)
	}
	return list, err
}

// WithChat is With for a chat.
func (app *App) WithChat(w func(ctx context.Context, e *engine.Engine, c storage.Chat,
	args []string) error) func(*cobra.Command, []string) error {
	return With(app, Chats.find, w)
}

// OptionalChat returns the id of the chat that the first argument names, "" without arguments.
func OptionalChat(e *engine.Engine, args []string) (storage.ChatID, error) {
	if len(args) == 0 {
		return "", nil
	}
	c, err := e.Chats.Find(args[0])
	return c.ID, err
}

// FindScene finds an ended scene by its number in scene list.
func FindScene(e *engine.Engine, chat storage.ChatID, ref string) (scenes.Scene, error) {
	number, err := NumberArg(ref, "the number of a scene, as ghostlight scene list shows it")
	if err != nil {
		return scenes.Scene{}, err
	}
	s, err := e.Scenes.List(chat)
	if err != nil {
		return scenes.Scene{}, err
	}
	ended := 0
	for _, sc := range s.List {
		switch {
		case sc.Number == number && sc.Open:
			return sc, fmt.Errorf("scene %d is still open; ghostlight scene break %s last ends it", number, chat)
		case sc.Number == number:
			return sc, nil
		case !sc.Open:
			ended++
		}
	}
	return scenes.Scene{}, fmt.Errorf("there is no scene %d; scenes that have ended here: %d", number, ended)
}

// listedNames is the maximum number of existing names that an error lists.
const listedNames = 8

// KnownNames adds the existing names to an ErrNotFound error. Other errors are returned unchanged.
func KnownNames(err error, names []string) error {
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%w; there is none yet", err)
	}
	more := ""
	if n := len(names) - listedNames; n > 0 {
		names, more = names[:listedNames], fmt.Sprintf(" and %d more", n)
	}
	for i, name := range names {
		names[i] = Clip(name, ColumnWidth)
	}
	return fmt.Errorf("%w; there are: %s%s", err, strings.Join(names, ", "), more)
}

// FindSeries finds a series. If there is no such series, the error lists the existing ones.
func FindSeries(e *engine.Engine, ref string) (director.SeriesView, error) {
	s, err := e.Director.FindSeries(ref)
	return s, withNames(err, func() ([]director.SeriesView, error) { return e.Director.Series() },
		func(s director.SeriesView) string { return s.Title })
}

// FindCharacter finds a character. If there is no such character, the error lists the existing
// ones.
func FindCharacter(e *engine.Engine, ref string) (storage.Character, error) {
	c, err := e.Library.FindCharacter(ref)
	return c, withNames(err, func() ([]storage.Character, error) { return e.Library.Characters() },
		func(c storage.Character) string { return c.Card.Name })
}

// withNames is KnownNames for what list lists.
func withNames[T any](err error, list func() ([]T, error), name func(T) string) error {
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	all, other := list()
	if other != nil {
		return errors.Join(err, other)
	}
	var names []string
	for _, v := range all {
		names = append(names, Quote(name(v)))
	}
	return KnownNames(err, names)
}

// FindMember finds a character of a chat's cast: by its name or nickname, its id, or a
// unique beginning of one of them.
func FindMember(e *engine.Engine, chat storage.ChatID, ref string) (chats.CastView, error) {
	cast, err := e.Play.Cast(chat)
	if err != nil {
		return chats.CastView{}, err
	}
	var exact, near []chats.CastView
	var names []string
	for _, c := range cast.List {
		names = append(names, Quote(c.Name))
		switch id := string(c.Character); {
		case strings.EqualFold(id, ref) || strings.EqualFold(c.Name, ref):
			exact = append(exact, c)
		case hasPrefixFold(id, ref) || hasPrefixFold(c.Name, ref):
			near = append(near, c)
		}
	}
	hits := exact
	if len(hits) == 0 { // the cast has nicknames; a character is also found by its name
		if who, err := e.Library.FindCharacter(ref); err == nil {
			for _, c := range cast.List {
				if c.Character == who.ID {
					hits = append(hits, c)
				}
			}
		}
	}
	if len(hits) == 0 {
		hits = near
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) == 0:
		return chats.CastView{}, KnownNames(fmt.Errorf("%w: no character in this chat is named %q",
			storage.ErrNotFound, ref), names)
	}
	var list []string
	for _, c := range hits {
		list = append(list, fmt.Sprintf("%s (%s)", Quote(c.Name), c.Character))
	}
	return chats.CastView{}, fmt.Errorf("%w: %q may be %s; use an id", failure.ErrAmbiguous, ref,
		strings.Join(list, ", "))
}

// ByID returns the element of a list whose id is ref or begins with it. things is the plural noun
// for the error about an ambiguous ref; missing is the error if nothing matches.
func ByID[T any, I ~string](list []T, id func(T) I, ref, things string, missing error) (v T, err error) {
	var hits []T
	for _, v := range list {
		if hasPrefixFold(string(id(v)), ref) {
			hits = append(hits, v)
		}
	}
	switch len(hits) {
	case 0:
		return v, missing
	case 1:
		return hits[0], nil
	}
	return v, fmt.Errorf("%w: %d %s begin with %q: give more of the id", failure.ErrAmbiguous, len(hits), things, ref)
}

// hasPrefixFold reports whether a text begins with a prefix that is not empty, ignoring case.
func hasPrefixFold(text, with string) bool {
	return with != "" && len(with) <= len(text) && strings.EqualFold(text[:len(with)], with)
}
