import SearchIcon from 'lucide-react/icons/search'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { Collection } from 'react-aria-components/Collection'
import { Dialog } from 'react-aria-components/Dialog'
import { Header } from 'react-aria-components/Header'
import { Heading } from 'react-aria-components/Heading'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { TextField } from 'react-aria-components/TextField'
import { plainName } from '#rules/plain-name.ts'
import { takeHeldTyping } from '../../browser/typed-ahead.ts'
import { useMorePeople } from '../../store/people-on-demand.ts'
import { t } from '../../text/t.ts'
import '../../ui/dialog.css'
import '../../ui/popover.css'
import { ResolvedMark } from '../../navigation/conversation-name.tsx'
import type { ShortcutActions } from '../shortcuts/use-shortcut-actions.ts'
import { useConversationEntries, usePeopleEntries } from './conversation-entries.tsx'
import { type Entry, type EntrySection, orderSections, readQuery } from './entries.ts'
import { useMessageEntries } from './message-entries.tsx'
import { type AccountActions, useCommandEntries, usePageEntries } from './page-entries.tsx'
import * as css from './switcher.module.css'

/** Text in which the match of the query is marked. Ignores case and accents. */
function MarkedText({ text, query }: { text: string; query: string }): ReactNode {
  const [plain, wanted] = [plainName(text), plainName(query)]
  const at = wanted === '' ? -1 : plain.indexOf(wanted)
  // Positions differ if the text has accents as separate characters.
  if (at < 0 || plain.length !== text.length) return text
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  )
}

/** The quick switcher: one field that finds conversations, people, messages, pages and commands. */
// biome-ignore lint/style/noDefaultExport: React's lazy requires it
export default function Switcher(props: {
  actions: ShortcutActions
  account: AccountActions
  onClose: () => void
}): ReactNode {
  const { actions, account, onClose } = props
  const [typed, type] = useState('')
  const { words } = readQuery(typed)
  const sections = useSections(typed, actions, account)
  const dialog = useRef<HTMLDivElement>(null)
  useFirstSelected(dialog, typed === '' ? sections[0]?.entries[0]?.id : undefined)

  function run(id: string) {
    onClose()
    const entry = sections.flatMap(({ entries }) => entries).find((one) => one.id === id)
    // Commands run after the dialog has returned the focus.
    setTimeout(() => entry?.run(), 50)
  }

  return (
    <ModalOverlay
      className={`overlay ${css.switcherOverlay}`}
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal ref={dialog} className={`modal ${css.switcher}`}>
        <Dialog className={css.switcherDialog}>
          <Heading slot="title" className="visually-hidden">
            {t('Search or jump to…')}
          </Heading>
          <Autocomplete inputValue={typed} onInputChange={type}>
            <TextField className={css.switcherField} aria-label={t('Search or jump to…')} autoFocus onFocus={typeHeld}>
              <SearchIcon className="icon" aria-hidden="true" />
              <Input
                className={css.switcherInput}
                dir="auto"
                placeholder={t('Search or jump to…')}
                autoComplete="off"
              />
            </TextField>
            <Menu
              className={css.switcherList}
              aria-label={t('Results')}
              items={sections}
              onAction={(id) => run(String(id))}
              renderEmptyState={() => <p className={`soft ${css.switcherEmpty}`}>{t('No matches.')}</p>}
            >
              {({ id, title, entries }) => (
                <MenuSection id={id} aria-label={title}>
                  <Header className={css.switcherHeading}>{title}</Header>
                  <Collection items={entries}>{(entry) => <Row entry={entry} query={words} />}</Collection>
                </MenuSection>
              )}
            </Menu>
          </Autocomplete>
          <p className={css.switcherHint} aria-hidden="true">
            {t('Type # for conversations, @ for people, > for commands')}
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Types the characters that the user typed before the field appeared. */
function typeHeld(): void {
  const held = takeHeldTyping()
  if (held !== '') document.execCommand('insertText', false, held)
}

/**
 * Selects the first entry of the list before the user types, so that Enter opens it. While the user types, the list
 * selects it by itself. `first` identifies the first entry, and is undefined if there is nothing to select.
 */
function useFirstSelected(dialog: { current: HTMLElement | null }, first: string | undefined): void {
  useEffect(() => {
    if (first === undefined) return
    let frame = 0
    // The dialog and its list appear some frames later.
    const select = (attempts: number) => {
      const input = dialog.current?.querySelector('input')
      const isReady = input != null && dialog.current?.querySelector('.switcher-row') != null
      if (isReady) input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true, cancelable: true }))
      else if (attempts > 0) frame = requestAnimationFrame(() => select(attempts - 1))
    }
    frame = requestAnimationFrame(() => select(30))
    // The list may change after the user has selected another entry.
    const stop = ({ isTrusted }: KeyboardEvent) => isTrusted && cancelAnimationFrame(frame)
    addEventListener('keydown', stop, { capture: true })
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('keydown', stop, { capture: true })
    }
  }, [dialog, first])
}

function Row({ entry, query }: { entry: Entry; query: string }): ReactNode {
  const { id, name, before, resolved, icon, detail } = entry
  return (
    <MenuItem id={id} className={css.switcherRow} textValue={name}>
      {icon}
      <span className={css.switcherName}>
        {before !== undefined && (
          <span className={css.switcherBefore}>
            {resolved === 'before' && <ResolvedMark />}
            <MarkedText text={before} query={query} /> ›{' '}
          </span>
        )}
        {resolved === 'name' && <ResolvedMark />}
        <MarkedText text={name} query={query} />
      </span>
      <span className={css.switcherDetail}>{detail}</span>
    </MenuItem>
  )
}

function useSections(typed: string, actions: ShortcutActions, account: AccountActions): EntrySection[] {
  const { scope, words } = readQuery(typed)
  useMorePeople(scope === 'all' || scope === 'people' ? words : '')
  const { latest, inChannels, direct } = useConversationEntries()
  const { people, groups } = usePeopleEntries()
  const findPages = usePageEntries()
  const findCommands = useCommandEntries(actions, account)
  const messages = useMessageEntries(words, scope === 'all')
  const found = withoutDoubles(findPages(words), findCommands(words))
  const toConversations = (entries: Entry[]) => ({ id: 'conversations', title: t('Conversations'), entries })
  const toPeople = () => ({
    id: 'people',
    title: t('People'),
    entries: [...people(words), ...direct(words), ...groups(words)],
  })
  const pages = { id: 'pages', title: t('Go to'), entries: found.pages }
  const commands = { id: 'commands', title: t('Commands'), entries: found.commands }

  switch (scope) {
    case 'conversations':
      return orderSections([toConversations(words === '' ? latest() : [...inChannels(words), ...direct(words)])], words)
    case 'people':
      return orderSections([toPeople()], words)
    case 'commands':
      return orderSections([commands, pages], words)
    case 'all':
      return orderSections(
        [
          ...(words === ''
            ? [{ id: 'recent', title: t('Recent'), entries: latest() }]
            : [toConversations(inChannels(words)), toPeople()]),
          { id: 'messages', title: t('Messages'), entries: messages },
          pages,
          commands,
        ],
        words,
      )
  }
}

/** Merges commands that open a page into the entry of the page, which then shows the keys of the command. */
function withoutDoubles(
  pages: readonly Entry[],
  commands: readonly Entry[],
): { pages: readonly Entry[]; commands: readonly Entry[] } {
  const names = new Set(pages.map(({ name }) => name))
  const keys = new Map(commands.map(({ name, detail }) => [name, detail]))
  return {
    pages: pages.map((page) => (page.before === undefined ? { ...page, detail: keys.get(page.name) } : page)),
    commands: commands.filter(({ name }) => !names.has(name)),
  }
}
