import { Link, useLocation } from '@tanstack/react-router'
import Building2 from 'lucide-react/icons/building-2'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Settings from 'lucide-react/icons/settings'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { TextField } from '../ui/field.tsx'
import { PageHead } from '../ui/titles.tsx'
import { findSettings, settingsIndex } from './settings-index.ts'
import * as css from './settings-search.module.css'
import '../ui/pane-link.css'
import * as settingsCss from '../forms/settings.module.css'
import { HelpLink } from '../help/help-link.tsx'
import { HELP_OF_SECTION } from '../help/sections.ts'
import * as pageCss from '../navigation/page.module.css'
import { ChatHeader, ChatLayout, PageFrame, TO_YOU } from '../navigation/page.tsx'
import { PHONE, useMedia } from '../ui/use-media.ts'
import { ORGANIZATION_SECTIONS, SETTINGS_SECTIONS, type SettingsSection } from './sections.ts'

/** The field that searches all settings of the user and the organization, and the list of results. */
function SettingsSearch({ query, onQuery }: { query: string; onQuery: (query: string) => void }): ReactNode {
  const { is_admin: isAdmin, is_guest: isGuest } = useOrganization('is_admin', 'is_guest')
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
    <div className={css.settingsSearch} onKeyDown={onKeyDown}>
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
                className={`pane-link ${css.settingsResult}`}
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

const CONTROLS = 'input:not([type="hidden"]), button, textarea, select, a[href]'

/**
 * Scrolls to a setting, highlights it and focuses its control, as soon as it is on the page. Returns a function that
 * removes the highlight.
 */
function showLinkedSetting(page: HTMLElement, name: string): () => void {
  let shown: HTMLElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = () => {
    shown = page.querySelector<HTMLElement>(`[data-setting="${CSS.escape(name)}"]`)
    if (shown === null) return false
    shown.dataset['linked'] = ''
    shown.scrollIntoView({ block: 'center' })
    const control = findControl(shown)
    // The navigation focuses the page first.
    timer = setTimeout(() => control?.focus({ preventScroll: true }))
    return true
  }
  const observer = new MutationObserver(() => show() && observer.disconnect())
  if (!show()) observer.observe(page, { childList: true, subtree: true })
  return () => {
    observer.disconnect()
    clearTimeout(timer)
    if (shown !== null) delete shown.dataset['linked']
  }
}

/**
 * Returns the control of a setting that users can focus. Some settings also have hidden elements for forms and screen
 * readers.
 */
const findControl = (setting: HTMLElement): HTMLElement | undefined =>
  [...setting.querySelectorAll<HTMLElement>(CONTROLS)].find(
    (control) => control.tabIndex >= 0 && control.closest('[aria-hidden="true"], [hidden]') === null,
  )

type Area = 'settings' | 'organization'

/**
 * The frame of settings pages: a list of the user's and the organization's sections with a search, beside the section
 * that the URL names. On phones, the list of an area is a separate page. A link to a setting scrolls to it and
 * highlights it.
 */
export function SettingsFrame(props: {
  area: Area
  /** The name of the area. */
  title: string
  /** The sections of the area. */
  sections: readonly SettingsSection[]
  /** Null on the page with the list of sections. */
  section: SettingsSection | null
  children?: ReactNode
}): ReactNode {
  const { area, title, sections, section, children } = props
  const { realm_name } = useOrganization('realm_name')
  const isPhone = useMedia(PHONE)
  const content = useRef<HTMLDivElement>(null)
  useLinkedSetting(content)
  const icon = area === 'settings' ? <Settings className="icon" /> : <Building2 className="icon" />
  if (section === null)
    return (
      <PageFrame title={title} within={realm_name} back={TO_YOU}>
        <SettingsSide areas={[{ area, title, heading: null, sections }]} hasArrows />
      </PageFrame>
    )
  const help = <HelpLink page={HELP_OF_SECTION[area][section.id]} about={section.label} />
  return (
    <ChatLayout>
      <ChatHeader
        title={section.label}
        within={realm_name}
        icon={icon}
        {...(isPhone
          ? { actions: help, back: { to: `/${area}`, label: t('Back to {page}', { page: title }) } }
          : { shownTitle: title, about: section.label, hasHeadingBelow: true })}
      />
      <div className={settingsCss.settings}>
        {!isPhone && <AllSections />}
        <div ref={content} className={`${pageCss.page} ${settingsCss.settingsPage}`}>
          <div className={section.isWide ? settingsCss.settingsWide : settingsCss.settingsContent}>
            {isPhone ? (
              <p className={`soft ${settingsCss.settingsAbout}`}>{section.about}</p>
            ) : (
              <PageHead title={section.label} actions={help}>
                <p>{section.about}</p>
              </PageHead>
            )}
            {children}
          </div>
        </div>
      </div>
    </ChatLayout>
  )
}

/** The sections of the user and those of the organization that the user may see. */
function AllSections(): ReactNode {
  const { realm_name, is_admin, is_guest } = useOrganization('realm_name', 'is_admin', 'is_guest')
  const organization = ORGANIZATION_SECTIONS.filter(({ isForAll }) => is_admin || (isForAll && !is_guest))
  return (
    <SettingsSide
      areas={[
        { area: 'settings', title: t('Settings'), heading: t('You'), sections: SETTINGS_SECTIONS },
        ...(organization.length > 0
          ? [{ area: 'organization' as const, title: t('Organization'), heading: realm_name, sections: organization }]
          : []),
      ]}
    />
  )
}

type ListedArea = { area: Area; title: string; heading: string | null; sections: readonly SettingsSection[] }

function SettingsSide({ areas, hasArrows = false }: { areas: readonly ListedArea[]; hasArrows?: boolean }): ReactNode {
  const [query, setQuery] = useState('')
  return (
    <div className={settingsCss.settingsSide} data-pane>
      <SettingsSearch query={query} onQuery={setQuery} />
      {query.trim() === '' &&
        areas.map(({ area, title, heading, sections }) => (
          <nav key={area} className={settingsCss.settingsSections} aria-label={title}>
            {heading !== null && (
              <p className={settingsCss.settingsArea} aria-hidden="true">
                {heading}
              </p>
            )}
            {sections.map(({ id, label, icon: Icon }) => (
              <Link key={id} to={`/${area}/${id}` as string} className="pane-link">
                <Icon className="icon" aria-hidden="true" />
                {label}
                {hasArrows && <ChevronRight className="icon flips" aria-hidden="true" />}
              </Link>
            ))}
          </nav>
        ))}
    </div>
  )
}

/** Shows the setting that the search parameter `setting` names. */
function useLinkedSetting(content: { current: HTMLElement | null }): void {
  const { search, state, pathname } = useLocation()
  const { setting } = search as { setting?: string }
  // A link that is followed again shows the setting again.
  const key = state.__TSR_key ?? pathname
  useEffect(() => {
    if (setting === undefined || content.current === null || key === '') return
    return showLinkedSetting(content.current, setting)
  }, [setting, key, content])
}
