package library

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// PersonasImported is what a backup of personas brought in. Had counts those that were
// here already, in the same words.
type PersonasImported struct {
	Personas []storage.Persona `json:"personas"`
	Had      int               `json:"had"`
	Warnings []string          `json:"warnings"`
}

// ImportPersonas brings in a backup of personas, all in one transaction. Who the user is
// by default stays as it is, unless there was nobody.
func (svc *Service) ImportPersonas(path string) (got PersonasImported, err error) {
	list, warnings, err := ecosystem.ReadPersonasFile(core.ExpandHome(path))
	if err != nil {
		return got, failure.Fail("import", err)
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		got = PersonasImported{Warnings: warnings}
		type words struct{ name, about string }
		have := map[words]bool{}
		for _, p := range storage.Personas.All(tx) {
			have[words{p.Name, p.Description}] = true
		}
		nobody, now := len(have) == 0, svc.core.Config.Now()
		for i, one := range list {
			if have[words{one.Name, one.Description}] {
				got.Had++
				continue
			}
			have[words{one.Name, one.Description}] = true
			p := storage.Persona{ID: storage.PersonaID(storage.NewID()), Name: one.Name, Description: one.Description, CreatedAt: now, UpdatedAt: now,
				Default: nobody && (one.Default || i == len(list)-1 && chats.DefaultPersona(tx).ID == "")}
			if err := storage.Personas.Put(tx, p.ID, p); err != nil {
				return err
			}
			got.Personas = append(got.Personas, p)
		}
		return nil
	})
	if err != nil {
		return PersonasImported{}, failure.Fail("import", err)
	}
	svc.core.Emit(chats.CharactersChanged{})
	return got, nil
}
