import Bold from 'lucide-react/icons/bold'
import CalendarClock from 'lucide-react/icons/calendar-clock'
import ChartBar from 'lucide-react/icons/chart-bar'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import Code from 'lucide-react/icons/code'
import EyeOff from 'lucide-react/icons/eye-off'
import ImagePlay from 'lucide-react/icons/image-play'
import Italic from 'lucide-react/icons/italic'
import Link from 'lucide-react/icons/link'
import List from 'lucide-react/icons/list'
import ListChecks from 'lucide-react/icons/list-checks'
import ListOrdered from 'lucide-react/icons/list-ordered'
import NotebookText from 'lucide-react/icons/notebook-text'
import Paperclip from 'lucide-react/icons/paperclip'
import Phone from 'lucide-react/icons/phone'
import Sigma from 'lucide-react/icons/sigma'
import Strikethrough from 'lucide-react/icons/strikethrough'
import TextQuote from 'lucide-react/icons/text-quote'
import Video from 'lucide-react/icons/video'
import type { ReactNode } from 'react'
import { Header } from 'react-aria-components/Header'
import { MenuItem, MenuSection } from 'react-aria-components/Menu'
import { flushSync } from 'react-dom'
import { formattingReference } from '../../browser/overlays.ts'
import { useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { MenuPopover, ShortcutKey } from '../../ui/menu.tsx'
import type { OpenMenu } from '../../ui/menu-button.tsx'
import * as css from '../composer.module.css'
import { findCallService, hasGifs } from './format-bar.tsx'
import type { Format } from './formatting.ts'
import { FORMAT_KEYS } from './text-area.ts'

const INSERTS = [
  { id: 'attach', label: t('Attach files'), Icon: Paperclip },
  { id: 'gif', label: t('GIF'), Icon: ImagePlay },
  { id: 'poll', label: t('Poll'), Icon: ChartBar },
  { id: 'todo', label: t('To-do list'), Icon: ListChecks },
  { id: 'time', label: t('Date and time'), Icon: CalendarClock },
  { id: 'video', label: t('Video call'), Icon: Video },
  { id: 'voice', label: t('Voice call'), Icon: Phone },
  { id: 'snippets', label: t('Saved snippets'), Icon: NotebookText },
] as const

/** The formats in the menu. It contains all of them, because phones have no room for their buttons. */
const FORMATS: readonly { id: Format; label: string; Icon: typeof Bold }[] = [
  { id: 'bold', label: t('Bold'), Icon: Bold },
  { id: 'italic', label: t('Italic'), Icon: Italic },
  { id: 'strike', label: t('Strikethrough'), Icon: Strikethrough },
  { id: 'numbers', label: t('Numbered list'), Icon: ListOrdered },
  { id: 'list', label: t('List'), Icon: List },
  { id: 'link', label: t('Link'), Icon: Link },
  { id: 'quote', label: t('Quote'), Icon: TextQuote },
  { id: 'code', label: t('Code'), Icon: Code },
  { id: 'spoiler', label: t('Spoiler'), Icon: EyeOff },
  { id: 'math', label: t('Math'), Icon: Sigma },
]

/** The items that insert something. */
export type Insert = (typeof INSERTS)[number]['id']

/** The open menu of everything that can be inserted, and of all formats. */
export function PlusItems(
  props: OpenMenu & {
    hasWidgets: boolean
    onInsert: (id: Insert) => void
    onFormat: (id: Format) => void
  },
): ReactNode {
  const { hasWidgets, onInsert, onFormat, ...menu } = props
  const hasCalls = useOrganizationPart(findCallService) !== null
  const offersGifs = useOrganizationPart(hasGifs)

  function act(run: () => void) {
    // The menu keeps the focus until it is closed.
    flushSync(menu.onClose)
    run()
  }

  function isOffered(id: Insert): boolean {
    if (id === 'poll' || id === 'todo') return hasWidgets
    if (id === 'gif') return offersGifs
    return hasCalls || (id !== 'video' && id !== 'voice')
  }

  return (
    <MenuPopover {...menu}>
      {INSERTS.filter(({ id }) => isOffered(id)).map(({ id, label, Icon }) => (
        <MenuItem key={id} id={id} className="menu-item" textValue={label} onAction={() => act(() => onInsert(id))}>
          <MenuLabel label={label} Icon={Icon} />
        </MenuItem>
      ))}
      <MenuItem
        className="menu-item"
        textValue={t('Formatting reference')}
        onAction={() => act(() => formattingReference.set(true))}
      >
        <MenuLabel label={t('Formatting reference')} Icon={CircleQuestionMark} />
      </MenuItem>
      <MenuSection>
        <Header className="menu-heading">{t('Format')}</Header>
        {FORMATS.map(({ id, label, Icon }) => (
          <MenuItem key={id} id={id} className="menu-item" textValue={label} onAction={() => act(() => onFormat(id))}>
            <MenuLabel label={label} Icon={Icon} />
            {FORMAT_KEYS[id] !== undefined && <ShortcutKey name={FORMAT_KEYS[id]} />}
          </MenuItem>
        ))}
      </MenuSection>
    </MenuPopover>
  )
}

const MenuLabel = ({ label, Icon }: { label: string; Icon: typeof Bold }) => (
  <span className={css.plusMenuLabel}>
    <Icon className="icon" aria-hidden="true" />
    {label}
  </span>
)
