import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import Clock from 'lucide-react/icons/clock'
import Flag from 'lucide-react/icons/flag'
import Hash from 'lucide-react/icons/hash'
import Lightbulb from 'lucide-react/icons/lightbulb'
import PawPrint from 'lucide-react/icons/paw-print'
import Plane from 'lucide-react/icons/plane'
import Smile from 'lucide-react/icons/smile'
import Star from 'lucide-react/icons/star'
import Trophy from 'lucide-react/icons/trophy'
import Utensils from 'lucide-react/icons/utensils'
import { type KeyboardEvent, type ReactNode, type RefObject, useMemo, useRef, useState } from 'react'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { SearchField } from 'react-aria-components/SearchField'
import { GridLayout, Size, Virtualizer } from 'react-aria-components/Virtualizer'
import { toAppError } from '../store/app-error.ts'
import { isInSetting } from '../store/membership.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { useCloseWhenHidden } from '../ui/is-shown.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import {
  addRecentEmoji,
  CATEGORIES,
  type EmojiChoice,
  loadEmojiChoices,
  recentEmoji,
  searchEmoji,
} from './emoji-choices.ts'
import '../ui/field.css'
import { readableName } from './emoji.ts'
import * as css from './emoji-popover.module.css'
import { preferredTone, setPreferredTone, TonedGlyph } from './skin-tones.tsx'

export const RECENT = 'Recent'

/** A category of emoji, or the user's recently used emoji. */
export type ShownCategory = EmojiChoice['category'] | typeof RECENT

const CATEGORY_LOOKS: Readonly<Record<ShownCategory, { label: string; Icon: typeof Clock }>> = {
  Recent: { label: t('Recently used'), Icon: Clock },
  Own: { label: t('Custom'), Icon: Star },
  Smileys: { label: t('Smileys & people'), Icon: Smile },
  Animals: { label: t('Animals & nature'), Icon: PawPrint },
  Food: { label: t('Food & drink'), Icon: Utensils },
  Activities: { label: t('Activities'), Icon: Trophy },
  Travel: { label: t('Travel & places'), Icon: Plane },
  Objects: { label: t('Objects'), Icon: Lightbulb },
  Symbols: { label: t('Symbols'), Icon: Hash },
  Flags: { label: t('Flags'), Icon: Flag },
}

/** The choice of a category as a strip of icons. */
export function CategoryChoice(props: {
  categories: readonly ShownCategory[]
  shown: ShownCategory
  onChange: (shown: ShownCategory) => void
}): ReactNode {
  const { categories, shown, onChange } = props
  return (
    <RadioGroup
      className={css.emojiCategories}
      aria-label={t('Category')}
      orientation="horizontal"
      value={shown}
      onChange={(value) => onChange(value as ShownCategory)}
    >
      {categories.map((category) => {
        const { label, Icon } = CATEGORY_LOOKS[category]
        return (
          <Radio key={category} className={css.emojiCategory} value={category} aria-label={label}>
            <span className={css.emojiCategoryIcon} title={label}>
              <Icon className="icon" aria-hidden="true" />
            </span>
          </Radio>
        )
      })}
    </RadioGroup>
  )
}

const TONES = [
  { sign: '👋', label: t('Yellow') },
  { sign: '👋🏻', label: t('Light') },
  { sign: '👋🏼', label: t('Medium-light') },
  { sign: '👋🏽', label: t('Medium') },
  { sign: '👋🏾', label: t('Medium-dark') },
  { sign: '👋🏿', label: t('Dark') },
]

/** The choice of a skin tone, which this browser remembers. */
export function ToneChoice({ tone, onChange }: { tone: number; onChange: (tone: number) => void }): ReactNode {
  return (
    <RadioGroup
      className={css.toneChoice}
      aria-label={t('Skin tone')}
      orientation="horizontal"
      value={String(tone)}
      onChange={(value) => onChange(Number(value))}
    >
      {TONES.map(({ sign, label }, at) => (
        <Radio key={label} className={css.tone} value={String(at)} aria-label={label}>
          <span aria-hidden="true">{sign}</span>
        </Radio>
      ))}
    </RadioGroup>
  )
}

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
      className={`popover ${css.emojiPopover}`}
      triggerRef={trigger}
      placement="bottom end"
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Dialog className={css.emojiPicker} aria-label={label}>
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
      className={css.emojiChoice}
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
        className={css.emojiGrid}
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
          <ListBoxItem className={css.emojiCell} id={choice.key} textValue={readableName(choice.emoji_name)}>
            <span className="visually-hidden">{readableName(choice.emoji_name)}</span>
            <TonedGlyph emoji={choice} tone={tone} />
          </ListBoxItem>
        )}
      </ListBox>
    </Virtualizer>
  )
}
