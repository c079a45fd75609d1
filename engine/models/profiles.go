package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// jobWords are the kinds of work that a profile can be chosen for.
var jobWords = []JobInfo{
	{Kind: JobDetect, Description: "finding scene breaks", answer: "the answer about the scene break"},
	{Kind: JobRecap, Description: "scene recaps"},
	{Kind: JobRunning, Description: "the running recap", answer: "the running recap"},
	{Kind: JobMessage, Description: "message recaps"},
	{Kind: JobRecallTest, Description: "recall tests", answer: "recall tests"},
	{Kind: JobAsk, Description: "questions about the story", answer: "the answer to the question"},
	{Kind: JobLore, Description: "filling the lorebook", answer: "the answer for the lorebook"},
	{Kind: JobDirector, Description: "the director", answer: "the director's answer"},
	{Kind: JobMemory, Description: "memories", answer: "the answer about memories"},
	{Kind: JobHooks, Description: "hooks", answer: "the answer about hooks"},
	{Kind: JobCapture, Description: "prompts for pictures", answer: "the answer about a picture"},
	{Kind: JobBoard, Description: "planning storyboards", answer: "the answer about the storyboard"},
	{Kind: JobTaste, Description: "learning your preferences", answer: "the answer about your preferences"},
}

// JobNames returns the kinds of work that a profile can be chosen for, as commands name them.
func JobNames() []string {
	var names []string
	for _, j := range jobWords {
		names = append(names, string(j.Kind))
	}
	return names
}

func assignedKey(kind JobKind) string { return "profile/" + string(kind) }

// profileFor returns the profile that is assigned to a kind of work, and false if the chat's own
// model is used.
func profileFor(tx *storage.Tx, kind JobKind) (storage.Profile, bool, error) {
	var name string
	if ok, err := tx.Setting(assignedKey(kind), &name); err != nil || !ok || name == "" {
		return storage.Profile{}, false, err
	}
	p, err := storage.Profiles.Get(tx, name)
	if errors.Is(err, storage.ErrNotFound) {
		return p, false, fmt.Errorf(
			"the profile %q no longer exists: choose another one for this kind of work, or none: %w",
			name,
			failure.ErrProfile,
		)
	}
	return p, err == nil, err
}

// Profiles returns the connection profiles by name, and the profile of each kind of work.
func (svc *Service) Profiles() (list []storage.Profile, jobs []JobInfo, err error) {
	jobs = slices.Clone(jobWords)
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		list = nil
		for _, p := range storage.Profiles.All(tx) {
			list = append(list, p)
		}
		for i := range jobs {
			if _, err := tx.Setting(assignedKey(jobs[i].Kind), &jobs[i].Profile); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, failure.Wrap("list profiles", err)
	}
	return list, jobs, nil
}

// SaveProfile stores a profile after checking it, also against its server if that answers. notes
// name what could not be checked. It replaces a profile with the same name.
func (svc *Service) SaveProfile(ctx context.Context, p storage.Profile) (notes []string, err error) {
	return svc.RewriteProfile(ctx, p.Name, p)
}

// RewriteProfile is SaveProfile for a profile whose name was before until now, "" for a new one.
// Work that used it uses it under its new name. The name of another profile is refused.
func (svc *Service) RewriteProfile(ctx context.Context, before string, p storage.Profile) (notes []string, err error) {
	before = strings.TrimSpace(before)
	p.Name, p.Server, p.Model = strings.TrimSpace(p.Name), strings.TrimSpace(p.Server), strings.TrimSpace(p.Model)
	if err := CheckProfile(p); err != nil {
		return nil, failure.Wrap("save profile", err)
	}
	if notes, err = svc.tryProfile(ctx, p); err != nil {
		return nil, failure.Wrap("save profile", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if before != p.Name {
			if _, err := storage.Profiles.Get(tx, p.Name); !errors.Is(err, storage.ErrNotFound) {
				return cmp.Or(err, failure.Refusef("profile %q already exists", failure.FirstRunes(p.Name, 30)))
			}
		}
		if err := storage.Profiles.Put(tx, p.Name, p); err != nil || before == "" || before == p.Name {
			return err
		}
		return failure.IgnoreMissing(ReplaceProfile(tx, before, p.Name)) // it may have been deleted meanwhile
	})
	if err != nil {
		return nil, failure.Wrap("save profile", err)
	}
	return notes, nil
}

// ReplaceProfile removes a profile, as part of a transaction. Work that used it uses the profile
// by, or the chat's own model if by is "". The preset that it was made from follows it.
func ReplaceProfile(tx *storage.Tx, name, by string) error {
	if err := storage.Profiles.Delete(tx, name); err != nil {
		return err
	}
	for _, p := range storage.Presets.All(tx) {
		if p.Profile != name {
			continue
		}
		if p.Profile = by; by != "" {
			p.Name = by
		}
		if err := storage.Presets.Put(tx, p.ID, p); err != nil {
			return err
		}
		break // a name occurs once, and a table must not be iterated while it changes
	}
	for _, j := range jobWords {
		var used string
		if _, err := tx.Setting(assignedKey(j.Kind), &used); err != nil {
			return err
		}
		if used != name {
			continue
		}
		var now any
		if by != "" {
			now = by
		}
		if err := tx.PutSetting(assignedKey(j.Kind), now); err != nil {
			return err
		}
	}
	return nil
}

// tryProfile asks the profile's server whether it supports the profile's values.
func (svc *Service) tryProfile(ctx context.Context, p storage.Profile) (notes []string, err error) {
	client, _, err := svc.ClientFor(p.Server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if _, err := client.Version(ctx); err != nil {
		return []string{"saved, but not checked: " + failure.Text(err)}, nil
	}
	if p.Model == "" {
		return nil, nil
	}
	d, err := client.Show(ctx, p.Model)
	if errors.Is(err, ollama.ErrNoModel) {
		return nil, failure.Refusef("%s has no model %q%s", client.BaseURL(), p.Model,
			suggestModels(ctx, client, p.Model))
	}
	if err != nil {
		return []string{"saved, but the model was not checked: " + failure.Text(err)}, nil
	}
	if d.ContextLength > 0 && p.NumCtx > d.ContextLength {
		return nil, failure.Refusef(
			"num_ctx is %d, but %s supports at most %d tokens",
			p.NumCtx,
			p.Model,
			d.ContextLength,
		)
	}
	if p.Think != "" && p.Think != storage.ThinkOff && len(d.Capabilities) > 0 && !d.Has("thinking") {
		return nil, failure.Refusef("%s does not support thinking: turn thinking off or leave it unset", p.Model)
	}
	return nil, nil
}

// suggestModels returns names of models that the user may have meant.
func suggestModels(ctx context.Context, client *ollama.Client, name string) string {
	list, err := client.Models(ctx)
	if err != nil || len(list) == 0 {
		return ""
	}
	stem, _, _ := strings.Cut(strings.ToLower(name), ":")
	var near, rest []string
	for _, m := range list {
		if strings.Contains(strings.ToLower(m.Name), stem) {
			near = append(near, m.Name)
		} else {
			rest = append(rest, m.Name)
		}
	}
	names := append(near, rest...)
	return "; it has " + strings.Join(names[:min(len(names), 8)], ", ")
}

// DeleteProfile removes a profile; work that used it uses the chat's own model again.
func (svc *Service) DeleteProfile(name string) error {
	if err := svc.core.Store.Update(func(tx *storage.Tx) error { return ReplaceProfile(tx, name, "") }); err != nil {
		return failure.Wrap("delete profile", err)
	}
	return nil
}

// AssignProfile sets the profile of a kind of work, "" for the chat's own model.
func (svc *Service) AssignProfile(kind JobKind, name string) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if kinds := JobNames(); !slices.Contains(kinds, string(kind)) {
			return failure.Refusef("unknown kind of work %q: use one of %s", kind, strings.Join(kinds, ", "))
		}
		if name == "" {
			return tx.PutSetting(assignedKey(kind), nil)
		}
		if _, err := storage.Profiles.Get(tx, name); err != nil {
			return err
		}
		return tx.PutSetting(assignedKey(kind), name)
	})
	if err != nil {
		return failure.Wrap("choose profile", err)
	}
	return nil
}
