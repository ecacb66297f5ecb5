import Pencil from 'lucide-react/icons/pencil'
import { type ReactNode, useState } from 'react'
import { ContentTool } from '../../../ui/message-html/content-tool.tsx'
import { AddForm } from './add-form.tsx'

/** The question of a poll or the title of a to-do list. Its author can change it. */
export function WidgetTitle(props: {
  icon: ReactNode
  title: string
  /** The text that is shown if there is no title. */
  untitled: string
  label: string
  editLabel: string
  onSave: ((title: string) => Promise<boolean>) | null
}): ReactNode {
  const { icon, title, untitled, label, editLabel, onSave } = props
  const [isEdited, setEdited] = useState(false)

  async function save(changed: string): Promise<boolean> {
    const isSaved = changed === title || ((await onSave?.(changed)) ?? false)
    if (isSaved) setEdited(false)
    return isSaved
  }

  if (isEdited) return <AddForm label={label} initial={title} onSave={save} onCancel={() => setEdited(false)} />
  return (
    <div className="widget-title">
      {icon}
      <p dir="auto">{title || untitled}</p>
      {onSave !== null && (
        <ContentTool aria-label={editLabel} onClick={() => setEdited(true)}>
          <Pencil className="icon" aria-hidden="true" />
        </ContentTool>
      )}
    </div>
  )
}
