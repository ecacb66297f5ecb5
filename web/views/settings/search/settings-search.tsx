import { Link } from '@tanstack/react-router'
import type { KeyboardEvent, ReactNode } from 'react'
import { useMemo, useRef } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { TextField } from '../../../ui/fields/field.tsx'
import { findSettings } from './find-settings.ts'
import { settingsIndex } from './settings-index.ts'
import './settings-search.css'

/** The field that searches all settings of the user and the organization, and the list of results. */
export function SettingsSearch({ query, onQuery }: { query: string; onQuery: (query: string) => void }): ReactNode {
  const { is_admin: isAdmin, is_guest: isGuest } = useOrganization()
  const index = useMemo(() => settingsIndex({ isAdmin, isGuest }), [isAdmin, isGuest])
  const found = findSettings(index, query)
  const list = useRef<HTMLUListElement>(null)
  const isSearching = query.trim() !== ''

  function onKeyDown(event: KeyboardEvent) {
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    if (event.key === 'Enter' && at === -1) links[0]?.click()
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const isToField = event.key === 'ArrowUp' && at === 0
    const target = isToField
      ? event.currentTarget.querySelector('input')
      : links[at + (event.key === 'ArrowDown' ? 1 : -1)]
    if (!target) return
    event.preventDefault()
    target.focus()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the results, besides Tab
    <div className="settings-search" onKeyDown={onKeyDown}>
      <search aria-label={t('Settings')}>
        <TextField
          label={t('Search settings')}
          isLabelHidden
          type="search"
          placeholder={t('Search settings')}
          value={query}
          onChange={onQuery}
        />
      </search>
      <p className="visually-hidden" role="status">
        {isSearching && t('{count, plural, one {# setting} other {# settings}} found', { count: found.length })}
      </p>
      {isSearching && found.length === 0 && (
        <p className="soft">{t('No settings match “{query}”. Try another word.', { query: query.trim() })}</p>
      )}
      {isSearching && (
        <ul ref={list}>
          {found.map(({ label, within, to, setting }) => (
            <li key={`${to} ${setting ?? ''}`}>
              <Link
                to={to}
                search={setting === undefined ? {} : { setting }}
                className="pane-link settings-result"
                activeOptions={{ exact: true, includeSearch: true }}
              >
                <span>{label}</span>
                <span className="soft small">{within}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
