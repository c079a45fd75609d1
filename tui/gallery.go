package tui

import tea "charm.land/bubbletea/v2"

func (a *app) sendDrafts() tea.Cmd { return nil }

func (a *app) openContactSheet() tea.Cmd { return nil }
