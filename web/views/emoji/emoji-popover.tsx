import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { SearchField } from 'react-aria-components/SearchField'
import { GridLayout, Size, Virtualizer } from 'react-aria-components/Virtualizer'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { isInSetting } from '../../store/people/membership.ts'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { useCloseWhenHidden } from '../../ui/layout/is-shown.ts'
import { CategoryChoice, RECENT, type ShownCategory } from './category-choice.tsx'
import { CATEGORIES } from './emoji-categories.ts'
import '../../ui/fields/field.css'
import './emoji-popover.css'
import { t } from '../../text/t.ts'
import { readableName } from './emoji.ts'
import { loadEmojiChoices } from './emoji-choices.ts'
import { type EmojiChoice, searchEmoji } from './emoji-table.ts'
import { addRecentEmoji, recentEmoji } from './recent-emoji.ts'
import { preferredTone, setPreferredTone } from './skin-tones.ts'
import { ToneChoice } from './tone-choice.tsx'
import { TonedGlyph } from './toned-glyph.tsx'

/** The emoji picker, with search and categories. */
export function EmojiPopover(props: {
  label: string
  /** A hint about keys, shown with the search results. */
  hint: string
  /** The element next to which the popover opens. */
  trigger: RefObject<HTMLElement | null>
  /** True if skin tones are offered: for text, but not for reactions. */
  hasTones?: boolean
  /** `wantsMore` is true if Shift was held; `tone` is the preferred skin tone, 0 for none. */
  onChoose: (choice: EmojiChoice, wantsMore: boolean, tone: number) => void
  onClose: () => void
}): ReactNode {
  const { label, hint, trigger, hasTones = false, onChoose, onClose } = props
  useCloseWhenHidden(onClose)
  const organization = useOrganization()
  const { realm_emoji, realm_user_groups, realm_can_add_custom_emoji_group, user_id } = organization
  const mayAdd = isInSetting(realm_user_groups, user_id, realm_can_add_custom_emoji_group)
  const [tone, setTone] = useState(() => (hasTones ? preferredTone(user_id) : 0))
  const client = useQueryClient()
  const {
    data: choices,
    error,
    refetch,
  } = useQuery({
    queryKey: ['emoji-choices', realm_emoji],
    queryFn: () => loadEmojiChoices(client, organization),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

  function choose(choice: EmojiChoice, wantsMore: boolean) {
    addRecentEmoji(user_id, choice.key)
    onChoose(choice, wantsMore, tone)
  }

  function changeTone(tone: number) {
    setPreferredTone(user_id, tone)
    setTone(tone)
  }

  return (
    <Popover
      className="popover emoji-popover"
      triggerRef={trigger}
      placement="bottom end"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Dialog className="emoji-picker" aria-label={label}>
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : choices === undefined ? (
          <Loading label={t('Loading emoji')} />
        ) : (
          <EmojiSearch choices={choices} recent={recentEmoji(user_id)} tone={tone} hint={hint} onChoose={choose}>
            {hasTones && <ToneChoice tone={tone} onChange={changeTone} />}
            {mayAdd && (
              <Link className="small" to="/organization/$section" params={{ section: 'emoji' }}>
                {t('Add custom emoji')}
              </Link>
            )}
          </EmojiSearch>
        )}
      </Dialog>
    </Popover>
  )
}

function EmojiSearch(props: {
  choices: readonly EmojiChoice[]
  recent: readonly string[]
  tone: number
  hint: string
  onChoose: (choice: EmojiChoice, wantsMore: boolean) => void
  children: ReactNode
}): ReactNode {
  const { choices, recent, tone, hint, onChoose, children } = props
  const [query, search] = useState('')
  const groups = useMemo(() => groupsOf(choices, recent), [choices, recent.join()])
  const [shown, show] = useState<ShownCategory>(() => [...groups.keys()][0]!)
  const found = useMemo(
    () => (query.trim() === '' ? (groups.get(shown) ?? []) : searchEmoji(choices, query)),
    [query, groups, shown, choices],
  )
  const picker = useRef<HTMLDivElement>(null)
  const isShiftHeld = useRef(false)

  /** Handles keys of the grid in the search field, before the field stops their propagation. */
  function onKey(event: KeyboardEvent) {
    isShiftHeld.current = event.shiftKey
    if (!(event.target instanceof HTMLInputElement)) return
    if (event.key === 'ArrowDown') picker.current?.querySelector<HTMLElement>('[role="option"]')?.focus()
    else if (event.key === 'Enter') {
      if (found[0] !== undefined && query.trim() !== '') onChoose(found[0], event.shiftKey)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={picker}
      className="emoji-choice"
      onKeyDownCapture={onKey}
      onPointerDownCapture={({ shiftKey }) => {
        isShiftHeld.current = shiftKey
      }}
    >
      <SearchField aria-label={t('Search emoji')} autoFocus value={query} onChange={search}>
        <Input className="field-input" placeholder={t('Search emoji')} />
      </SearchField>
      {query.trim() === '' && <CategoryChoice categories={[...groups.keys()]} shown={shown} onChange={show} />}
      <EmojiGrid choices={found} tone={tone} onChoose={(choice) => onChoose(choice, isShiftHeld.current)} />
      <p className="soft small" role="status">
        {found.length === 0 ? t('No matches') : hint}
      </p>
      {children}
    </div>
  )
}

/** Returns the emoji of each category. Empty categories are left out. */
function groupsOf(choices: readonly EmojiChoice[], recent: readonly string[]): Map<ShownCategory, EmojiChoice[]> {
  const byKey = new Map(choices.map((choice) => [choice.key, choice]))
  const groups: [ShownCategory, EmojiChoice[]][] = [
    [RECENT, recent.flatMap((key) => byKey.get(key) ?? [])],
    ...(['Own', ...CATEGORIES] as const).map((name): [ShownCategory, EmojiChoice[]] => [
      name,
      choices.filter(({ category }) => category === name),
    ]),
  ]
  return new Map(groups.filter(([, shown]) => shown.length > 0))
}

const CELL = new Size(40, 40)

function EmojiGrid(props: {
  choices: readonly EmojiChoice[]
  tone: number
  onChoose: (choice: EmojiChoice) => void
}): ReactNode {
  const { choices, tone, onChoose } = props
  return (
    <Virtualizer
      layout={GridLayout}
      layoutOptions={{ minItemSize: CELL, maxItemSize: CELL, minSpace: new Size(0, 0), preserveAspectRatio: true }}
    >
      <ListBox
        className="emoji-grid"
        aria-label={t('Emoji')}
        layout="grid"
        dependencies={[tone]}
        items={choices.map((choice) => ({ ...choice, id: choice.key }))}
        onAction={(key) => {
          const choice = choices.find((one) => one.key === key)
          if (choice !== undefined) onChoose(choice)
        }}
      >
        {(choice) => (
          <ListBoxItem className="emoji-cell" id={choice.key} textValue={readableName(choice.emoji_name)}>
            <span className="visually-hidden">{readableName(choice.emoji_name)}</span>
            <TonedGlyph emoji={choice} tone={tone} />
          </ListBoxItem>
        )}
      </ListBox>
    </Virtualizer>
  )
}
