import Plus from 'lucide-react/icons/plus'
import { memo, type ReactNode, useRef } from 'react'
import { t } from '../../../text/t.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { MenuButton } from '../../../ui/menu/menu-button.tsx'
import { applyFormat } from '../editor/format-by-key.ts'
import type { Edit, Format, Selection } from '../editor/formatting.ts'
import { applyEdit, selectionOf } from '../editor/text-area.ts'
import { BarButton } from './bar-button.tsx'
import type { Opened } from './plus-items.tsx'

const PlusItems = lazyPart(async () => (await import('./plus-items.tsx')).PlusItems)

/** The menu of everything that can be inserted, and of all formats. */
export const PlusMenu = memo(function PlusMenu(props: {
  field: () => HTMLTextAreaElement | null
  /** True if the menu offers polls and to-do lists. Only new messages can contain them. */
  hasWidgets: boolean
  onFiles: (files: Iterable<File>) => void
  onTime: () => void
  onSnippets: () => void
}): ReactNode {
  const { field, hasWidgets, onFiles, onTime, onSnippets } = props
  const input = useRef<HTMLInputElement>(null)

  function open(id: Opened) {
    if (id === 'attach') return input.current?.click()
    if (id === 'time') return onTime()
    onSnippets()
  }

  function edit(toEdit: (selection: Selection) => Edit) {
    const area = field()
    if (area !== null) applyEdit(area, toEdit(selectionOf(area)))
  }

  function format(id: Format) {
    const area = field()
    if (area !== null) applyFormat(area, id)
  }

  return (
    <span className="plus-menu">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <MenuButton
        placement="top start"
        load={PlusItems.load}
        button={(props) => <BarButton {...props} label={t('Add')} Icon={Plus} />}
      >
        {(menu) => <PlusItems {...menu} hasWidgets={hasWidgets} onOpen={open} onEdit={edit} onFormat={format} />}
      </MenuButton>
    </span>
  )
})
