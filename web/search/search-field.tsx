import CalendarDays from 'lucide-react/icons/calendar-days'
import CircleUser from 'lucide-react/icons/circle-user'
import Hash from 'lucide-react/icons/hash'
import Paperclip from 'lucide-react/icons/paperclip'
import SearchIcon from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Collection } from 'react-aria-components/Collection'
import { ComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox'
import { Header } from 'react-aria-components/Header'
import { Input } from 'react-aria-components/Input'
import { ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Text } from 'react-aria-components/Text'
import { switcher } from '../browser/overlays.ts'
import { parseSearch, type SearchFilter, type SearchOperator } from '../messages/search-query.ts'
import { type Organization, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/button.tsx'
import * as chipsCss from '../ui/chips.module.css'
import { type PickedTag, PickedTags } from '../ui/picked-tags.tsx'
import { recentSearches } from './recent-searches.ts'
import '../ui/popover.css'
import type { SearchSuggestion, SuggestionSection } from './operand-suggestions.tsx'
import type { ResolvedFilter } from './resolve-search.ts'
import * as searchCss from './search.module.css'
import * as css from './search-field.module.css'
import { filterLabel, suggestSearches, withoutUnfinished } from './suggestions.tsx'
import { useSearchTopics, useTypedSearch } from './use-typed-search.ts'

/**
 * The search field: filters as chips, and the words after them. `text` is the current search. `onSearch` receives the
 * next search, with ids in place of names.
 */
export function SearchField(props: {
  text: string
  filters: readonly ResolvedFilter[]
  onSearch: (text: string) => void
}): ReactNode {
  const { text, filters, onSearch } = props
  const organization = useOrganization()
  const { typed, setTyped, search, change } = useTypedSearch(props)
  const [suggests, setSuggests] = useState(false)
  const line = useRef<HTMLDivElement>(null)
  const problemsId = useId()
  const current = filters.map(({ filter }) => filter)
  const topics = useSearchTopics(current, /(?:topic|subject):\S*$/i.test(typed))
  const sections = useMemo(
    () =>
      suggests ? suggestSearches(typed, { organization, filters: current, recent: recentSearches(), topics }) : [],
    [suggests, typed, text, organization, topics],
  )
  const problems = filters.flatMap(({ problem }) => problem ?? [])

  const focus = () => line.current?.querySelector<HTMLElement>('.search-input')?.focus()
  // The field of a search without words gets the focus, because the user has yet to type words. The page may have set
  // only filters.
  const hasWords = parseSearch(text).words !== ''
  useEffect(() => {
    if (!hasWords && problems.length === 0) focus()
  }, [])

  // Closes the suggestions, because they would cover the results.
  function searchFor(next: readonly SearchFilter[], words: string): void {
    setSuggests(false)
    void search(next, words)
  }

  function remove(isRemoved: (at: number) => boolean): void {
    searchFor(
      current.filter((_, at) => !isRemoved(at)),
      typed,
    )
    focus()
  }

  function choose(id: string): void {
    const chosen = sections.flatMap(({ entries }) => entries).find((entry) => entry.id === id)?.does
    if (chosen?.kind === 'search') searchFor(current, typed)
    if (chosen?.kind === 'repeat') searchFor([], chosen.text)
    if (chosen?.kind === 'start') setTyped(`${withoutUnfinished(typed, organization)} ${chosen.text}`.trimStart())
    if (chosen?.kind === 'add') searchFor([...current, chosen.filter], withoutUnfinished(typed, organization))
  }

  /** Starts a filter, so that the field suggests its operands. */
  function start(operator: SearchOperator): void {
    setSuggests(true)
    focus()
    setTyped(`${typed.trim()} ${operator}:`.trimStart())
  }

  function clear(): void {
    setSuggests(false)
    setTyped('')
    onSearch('')
    focus()
  }

  function type(value: string): void {
    if (value === '>' && text === '') return switcher.set(true)
    setSuggests(true)
    change(current, value)
  }

  return (
    <search className={css.searchAbove}>
      <div ref={line}>
        <div className={css.searchBox} data-invalid={problems.length > 0 || undefined}>
          <SearchIcon className="icon" aria-hidden="true" />
          <div className={css.searchParts}>
            {filters.length > 0 && (
              <PickedTags
                label={t('Filters')}
                isLabelHidden
                tags={filters.map((resolved, at) => toTag(resolved, at, organization))}
                onRemove={(ids) => remove((at) => ids.has(at))}
              />
            )}
            <SearchCombo
              typed={typed}
              sections={sections}
              popoverBelow={line}
              hasFilters={filters.length > 0}
              problemsId={problems.length > 0 ? problemsId : undefined}
              onType={type}
              onChoose={choose}
              onOpen={() => setSuggests(true)}
              onSearch={() => searchFor(current, typed)}
              onRemoveLast={() => typed === '' && current.length > 0 && searchFor(current.slice(0, -1), '')}
            />
          </div>
          {(text !== '' || typed !== '') && <IconButton label={t('Clear search')} icon={X} onPress={clear} />}
        </div>
        <Problems id={problemsId} problems={problems} />
      </div>
      {problems.length === 0 && (
        <FilterButtons
          has={(operator) => current.some((filter) => filter.operator === operator && !filter.negated)}
          onStart={start}
          onFiles={() => searchFor([...current, WITH_FILES], typed)}
        />
      )}
    </search>
  )
}

const WITH_FILES: SearchFilter = { operator: 'has', operand: 'attachment', negated: false }

const FILTER_BUTTONS = [
  { operator: 'from', label: t('Person'), icon: CircleUser },
  { operator: 'channel', label: t('Channel'), icon: Hash },
  { operator: 'after', label: t('Date'), icon: CalendarDays },
] as const

/** Buttons for the filters that are used most. */
function FilterButtons(props: {
  has: (operator: SearchOperator) => boolean
  onStart: (operator: SearchOperator) => void
  onFiles: () => void
}): ReactNode {
  const { has, onStart, onFiles } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on the page
    <div className={`${chipsCss.chips} ${searchCss.searchFilters}`} role="group" aria-label={t('Add a filter')}>
      {FILTER_BUTTONS.filter(({ operator }) => !has(operator)).map(({ operator, label, icon: Icon }) => (
        <button key={operator} type="button" className={chipsCss.chip} onClick={() => onStart(operator)}>
          <Icon className="icon" aria-hidden="true" />
          {label}
        </button>
      ))}
      {!has('has') && (
        <button type="button" className={chipsCss.chip} onClick={onFiles}>
          <Paperclip className="icon" aria-hidden="true" />
          {t('With files')}
        </button>
      )}
    </div>
  )
}

const toTag = ({ filter, problem }: ResolvedFilter, at: number, organization: Organization): PickedTag => ({
  id: at,
  label: filterLabel(filter, organization),
  ...(problem !== null && { kind: 'danger' as const }),
})

function Problems({ id, problems }: { id: string; problems: readonly string[] }): ReactNode {
  if (problems.length === 0) return null
  return (
    <div id={id} role="alert">
      {problems.map((problem) => (
        <p key={problem} className="field-error">
          {problem}
        </p>
      ))}
    </div>
  )
}

/** The field after the filters, with its suggestions. */
function SearchCombo(props: {
  typed: string
  sections: readonly SuggestionSection[]
  /** The list of suggestions opens below this element. */
  popoverBelow: RefObject<HTMLElement | null>
  hasFilters: boolean
  problemsId: string | undefined
  onType: (text: string) => void
  onChoose: (id: string) => void
  onOpen: () => void
  onSearch: () => void
  onRemoveLast: () => void
}): ReactNode {
  const { typed, sections, popoverBelow, hasFilters, problemsId, onType, onChoose, ...keys } = props
  return (
    <ComboBox
      className={css.searchCombo}
      aria-label={t('Search messages')}
      items={sections}
      inputValue={typed}
      onInputChange={onType}
      value={null}
      onChange={(id) => id !== null && onChoose(String(id))}
      menuTrigger="focus"
      allowsCustomValue
    >
      <SearchKeys {...keys}>
        <Input
          className={css.searchInput}
          type="text"
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          placeholder={hasFilters ? '' : t('Search messages')}
          aria-describedby={problemsId}
        />
      </SearchKeys>
      <Popover className={`popover ${css.searchPopover}`} triggerRef={popoverBelow} placement="bottom start" offset={4}>
        <ListBox className="list-box">
          {({ id, title, entries }: SuggestionSection) => (
            <ListBoxSection id={id} aria-label={title}>
              {id !== 'search' && <Header className="menu-heading">{title}</Header>}
              <Collection items={entries}>{(entry) => <SuggestionRow {...entry} />}</Collection>
            </ListBoxSection>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

/**
 * Handles the keys of the field. Enter searches unless a suggestion is focused. Backspace in the empty field removes
 * the last filter. The down arrow and a click show the suggestions.
 */
function SearchKeys(props: {
  onOpen: () => void
  onSearch: () => void
  onRemoveLast: () => void
  children: ReactNode
}): ReactNode {
  const { onOpen, onSearch, onRemoveLast, children } = props
  const state = useContext(ComboBoxStateContext)
  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Backspace') onRemoveLast()
    if (event.key === 'ArrowDown') onOpen()
    if (event.key !== 'Enter' || (state?.isOpen && state.selectionManager.focusedKey !== null)) return
    event.preventDefault()
    event.stopPropagation()
    state?.close()
    onSearch()
  }
  return (
    <div className={css.searchKeys} onKeyDownCapture={onKeyDown} onPointerDown={onOpen}>
      {children}
    </div>
  )
}

function SuggestionRow({ id, label, hint, icon }: SearchSuggestion): ReactNode {
  return (
    <ListBoxItem id={id} className={`list-box-item ${css.searchSuggestion}`} textValue={label}>
      {icon}
      <Text slot="label" className={css.searchSuggestionLabel}>
        {label}
      </Text>
      {hint !== undefined && (
        <Text slot="description" className="list-box-hint">
          {hint}
        </Text>
      )}
    </ListBoxItem>
  )
}
