import Plus from 'lucide-react/icons/plus'
import { memo, type ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { MenuButton } from '../../../ui/menu/menu-button.tsx'
import { applyFormat } from '../editor/format-by-key.ts'
import type { Edit, Format, Selection } from '../editor/formatting.ts'
import { applyEdit, selectionOf } from '../editor/text-area.ts'
import type { WidgetKind } from '../widgets/widget-text.ts'
import { BarButton } from './bar-button.tsx'
import type { Opened } from './plus-items.tsx'

const PlusItems = lazyPart(async () => (await import('./plus-items.tsx')).PlusItems)

/** The menu of everything that can be inserted, and of all formats. */
export const PlusMenu = memo(function PlusMenu(props: {
  field: () => HTMLTextAreaElement | null
  /** Opens the dialog for a poll or to-do list; null for edits, since only new messages can contain them. */
  onWidget: ((kind: WidgetKind) => void) | null
  onAttach: () => void
  onTime: () => void
  onSnippets: () => void
}): ReactNode {
  const { field, onWidget, onAttach, onTime, onSnippets } = props

  function open(id: Opened) {
    if (id === 'attach') return onAttach()
    if (id === 'time') return onTime()
    if (id === 'poll' || id === 'todo') return onWidget?.(id)
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
      <MenuButton
        placement="top start"
        load={PlusItems.load}
        button={(props) => <BarButton {...props} label={t('Add')} Icon={Plus} />}
      >
        {(menu) => <PlusItems {...menu} hasWidgets={onWidget !== null} onOpen={open} onEdit={edit} onFormat={format} />}
      </MenuButton>
    </span>
  )
})
