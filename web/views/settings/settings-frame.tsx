import { Link, useLocation } from '@tanstack/react-router'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { PageHead } from '../../ui/layout/page.tsx'
import '../../ui/layout/pane-link.css'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { HelpLink } from '../help/help-link.tsx'
import { HELP_OF_SECTION } from '../help/page-of-section.ts'
import { SettingsSearch } from './search/settings-search.tsx'
import type { SettingsSection } from './sections.ts'
import './settings.css'
import { showLinkedSetting } from './show-linked-setting.ts'

type Area = 'settings' | 'organization'

/**
 * The frame of settings pages: a list of sections with a search, beside the section that the URL names. On phones, the
 * list is a separate page. A link to a setting scrolls to it and highlights it.
 */
export function SettingsFrame(props: {
  area: Area
  /** The name of the list. */
  title: string
  sections: readonly SettingsSection[]
  /** Null on the page with the list of sections. */
  section: SettingsSection | null
  children?: ReactNode
}): ReactNode {
  const { area, title, sections, section, children } = props
  const { realm_name } = useOrganization()
  const isPhone = useMedia(PHONE)
  const content = useRef<HTMLDivElement>(null)
  useLinkedSetting(content)
  return (
    <div className="settings">
      {(!isPhone || section === null) && <SectionList {...{ area, title, sections, isPhone }} />}
      {section !== null && (
        <div ref={content} className={section.isWide ? 'settings-wide' : 'settings-content'}>
          {isPhone && (
            <Link to={`/${area}`} className="settings-back">
              <ChevronLeft className="icon flips" aria-hidden="true" />
              {title}
            </Link>
          )}
          <PageHead
            title={section.label}
            within={realm_name}
            actions={<HelpLink page={HELP_OF_SECTION[area][section.id]} about={section.label} />}
          >
            <p>{section.about}</p>
          </PageHead>
          {children}
        </div>
      )}
    </div>
  )
}

function SectionList(props: {
  area: Area
  title: string
  sections: readonly SettingsSection[]
  isPhone: boolean
}): ReactNode {
  const { area, title, sections, isPhone } = props
  const { realm_name } = useOrganization()
  const [query, setQuery] = useState('')
  return (
    <div className="settings-side">
      {isPhone && <PageHead title={title} within={realm_name} />}
      <SettingsSearch query={query} onQuery={setQuery} />
      {query.trim() === '' && (
        <nav className="settings-sections" aria-label={title} data-pane>
          {sections.map(({ id, label, icon: Icon }) => (
            <Link key={id} to={`/${area}/${id}` as string} className="pane-link">
              <Icon className="icon" aria-hidden="true" />
              {label}
              {isPhone && <ChevronRight className="icon flips" aria-hidden="true" />}
            </Link>
          ))}
        </nav>
      )}
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
