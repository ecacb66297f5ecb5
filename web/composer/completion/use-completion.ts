import { useQuery } from '@tanstack/react-query'
import { createAtom } from '@tanstack/react-store'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { currentOrganization } from '../../store/organization.ts'
import { findMorePeople } from '../../store/people-on-demand.ts'
import { channelSubscribers } from '../../store/subscribers.ts'
import { loadPart } from '../../ui/load-part.ts'
import type { WidgetKind } from '../box/widget-text.ts'
import type { Destination } from '../destination.ts'
import { applyEdit } from '../editor/text-area.ts'
import { completionContext } from './completion-context.ts'
import { findToken, type Token } from './find-token.ts'
import { type ListboxState, type Suggestion, useListbox } from './suggestion-list.tsx'

type Completion = {
  readonly token: Token | null
  readonly listbox: ListboxState<Suggestion>
  /** Looks for suggestions after the text has changed. */
  readonly update: (area: HTMLTextAreaElement) => void
  /** Closes the list when the cursor leaves the token. */
  readonly follow: (area: HTMLTextAreaElement) => void
  readonly choose: (suggestion: Suggestion) => void
  readonly close: () => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean
}

type Found = { readonly token: Token; readonly items: readonly Suggestion[] }

const NONE: readonly Suggestion[] = []

/** Completes tokens in a text area. The code for suggestions is loaded at the first key that needs it. */
export function useCompletion(props: {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  destination: Destination
  onDates: (from: number) => void
  onWidget: ((kind: WidgetKind) => void) | undefined
}): Completion {
  const { field, text, destination, onDates, onWidget } = props
  const [found, setFound] = useState<Found | null>(null)
  const lastRequest = useRef(0)
  useEffect(() => {
    if (text === '') setFound(null)
  }, [text])
  const channelId = destination.kind === 'channel' ? destination.channelId : null
  const { data: subscribers } = useQuery({ ...channelSubscribers(channelId ?? 0), enabled: false })
  useEffect(() => {
    if (found !== null) refresh(found).catch(() => {})
  }, [subscribers])

  /** Renews the suggestions in the same order, so that the next key chooses what the user sees. */
  async function refresh({ token, items }: Found): Promise<void> {
    const [complete, organization] = [loadedComplete.get(), currentOrganization()]
    if (complete === null || organization === undefined) return
    const current = await complete(token, completionContext(organization, destination))
    const renewed = items.map((item) => current.find(({ key }) => key === item.key) ?? item)
    setFound((shown) => (shown?.items === items ? { token, items: renewed } : shown))
  }

  function update(area: HTMLTextAreaElement) {
    lastRequest.current += 1
    const request = lastRequest.current
    const isCollapsed = area.selectionStart === area.selectionEnd
    const token = isCollapsed ? findToken(area.value, area.selectionStart) : null
    if (token === null) return setFound(null)
    // The list is shown before the browser handles the next key, which may choose a suggestion.
    const show = (items: readonly Suggestion[]) => {
      if (lastRequest.current === request) flushSync(() => setFound(items.length === 0 ? null : { token, items }))
    }
    const suggest = async () => {
      const complete = loadedComplete.get() ?? (await loadComplete())
      const organization = currentOrganization()
      return organization === undefined ? NONE : complete(token, completionContext(organization, destination))
    }
    // If suggestions can't be loaded, the list stays closed.
    suggest().then(show, () => show(NONE))
    if (token.kind === 'mention')
      void findMorePeople(token.query).then((hasMore) => (hasMore ? suggest().then(show, () => {}) : undefined))
  }

  function close() {
    lastRequest.current += 1
    setFound(null)
  }

  function replace(token: Token, text: string) {
    const area = field.current
    if (area === null) return
    const end = area.selectionStart
    const after = area.value.slice(end)
    const inserted = text.endsWith(' ') && after.startsWith(' ') ? text.slice(0, -1) : text
    const caret = token.from + inserted.length + (inserted === text ? 0 : 1)
    close()
    applyEdit(area, { from: token.from, to: end, text: inserted, selected: [caret, caret] })
  }

  function choose({ insert, opensDates, opensWidget }: Suggestion) {
    if (found === null) return
    if (opensWidget !== undefined && onWidget !== undefined) {
      flushSync(() => replace(found.token, ''))
      return onWidget(opensWidget)
    }
    if (opensDates) {
      close()
      onDates(found.token.from)
    } else if (insert !== undefined) replace(found.token, insert)
  }

  const listbox = useListbox({
    items: found?.items ?? NONE,
    query: found === null ? '' : `${found.token.kind} ${found.token.query}`,
    onChoose: choose,
    onClose: close,
  })

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
    const current = listbox.items[listbox.active]
    if (event.key === '>' && current?.continued !== undefined && found !== null) {
      event.preventDefault()
      replace(found.token, current.continued)
      return true
    }
    return listbox.onKeyDown(event)
  }

  function follow({ selectionStart, selectionEnd, value }: HTMLTextAreaElement) {
    if (found === null) return
    const token = selectionStart === selectionEnd ? findToken(value, selectionStart) : null
    if (token?.from !== found.token.from || token.kind !== found.token.kind) close()
  }

  return { token: found?.token ?? null, listbox, update, follow, choose, close, onKeyDown }
}

/** Kept, because an import takes until after the next key even if the file is loaded. */
const loadedComplete = createAtom<typeof import('./complete.tsx').complete | null>(null)

async function loadComplete() {
  const { complete } = await loadPart(() => import('./complete.tsx'))
  loadedComplete.set(() => complete)
  return complete
}
