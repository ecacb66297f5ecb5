import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { Label } from 'react-aria-components/Label'
import { Tag, TagGroup, TagList } from 'react-aria-components/TagGroup'
import './field.css'
import * as css from './picked-tags.module.css'

export type PickedTag = {
  id: string | number
  label: string
  /** A remark next to the label. */
  remark?: string
  kind?: 'plain' | 'warn' | 'danger'
}

/** Picked entries as tags. The button of a tag removes it, as do Delete and Backspace. */
export function PickedTags(props: {
  label: string
  isLabelHidden?: boolean
  tags: readonly PickedTag[]
  onRemove: (ids: ReadonlySet<string | number>) => void
}): ReactNode {
  const { label, isLabelHidden = false, tags, onRemove } = props
  return (
    <TagGroup className={css.tags} selectionMode="none" onRemove={(keys) => onRemove(keys as Set<string | number>)}>
      <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <TagList className={css.tagList} items={tags}>
        {({ id, label, remark, kind = 'plain' }) => (
          <Tag
            id={id}
            className={css.tag}
            data-kind={kind}
            textValue={remark === undefined ? label : `${label}, ${remark}`}
          >
            <span className={css.tagLabel}>{label}</span>
            {remark !== undefined && <span className={css.tagRemark}>{remark}</span>}
            <Button slot="remove" className={css.tagRemove}>
              <X className="icon" aria-hidden="true" />
            </Button>
          </Tag>
        )}
      </TagList>
    </TagGroup>
  )
}
