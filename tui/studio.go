package tui

import tea "charm.land/bubbletea/v2"

// captureMessage captures the moment at a message.
func (a *app) captureMessage(it *item) tea.Cmd { return nil }

func (a *app) captureVideo() tea.Cmd { return nil }

func (a *app) openAngles() tea.Cmd { return nil }

func (a *app) openCaptureSeries() tea.Cmd { return nil }

func (a *app) openContinuity() tea.Cmd { return nil }

func (a *app) openWorkflows() tea.Cmd { return nil }
