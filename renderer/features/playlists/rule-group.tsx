import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { IconAdd, IconClose } from '../../ui/theme/icons.ts';
import type { SmartFields } from '../../api/playlists.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { ConditionFields } from './rule-fields.tsx';
import { MAX_DEPTH, emptyGroup, isGroup, newCondition, type Group, type Joiner, type Node } from './rules.ts';
import styles from './rules.module.css';

interface RuleGroupProps {
  group: Group;
  fields: SmartFields;
  depth?: number;
  onChange: (group: Group) => void;
  onRemove?: () => void;
}

/** Rules combined by “all” or “any”; groups can be nested. */
export function RuleGroup({ group, fields, depth = 0, onChange, onRemove }: RuleGroupProps) {
  const { t } = useTranslation();
  const setNodes = (nodes: Node[]) => onChange({ ...group, nodes });
  const replace = (index: number, node: Node) =>
    setNodes(group.nodes.map((oldNode, i) => (i === index ? node : oldNode)));
  const removeNode = (index: number) => setNodes(group.nodes.filter((_, i) => i !== index));
  return (
    <fieldset className={styles.group} data-depth={depth}>
      <legend className="visually-hidden">{t('rules.group')}</legend>
      <div className={styles.joiner}>
        <label>
          {t('rules.match')}{' '}
          <NativeSelect
            value={group.joiner}
            onChange={(event) => onChange({ ...group, joiner: event.currentTarget.value as Joiner })}
          >
            <option value="all">{t('rules.all')}</option>
            <option value="any">{t('rules.any')}</option>
          </NativeSelect>
        </label>
        {onRemove && (
          <IconButton label={t('rules.removeGroup')} icon={IconClose} iconSize={16} size="small" onClick={onRemove} />
        )}
      </div>
      {group.nodes.map((node, i) =>
        isGroup(node) ? (
          <RuleGroup
            key={i}
            group={node}
            fields={fields}
            depth={depth + 1}
            onChange={(next) => replace(i, next)}
            onRemove={() => removeNode(i)}
          />
        ) : (
          <div key={i} className={styles.rule} role="group" aria-label={t('rules.rule', { number: i + 1 })}>
            <ConditionFields condition={node} fields={fields} onChange={(next) => replace(i, next)} />
            <IconButton
              label={t('rules.remove', { number: i + 1 })}
              icon={IconClose}
              iconSize={16}
              size="small"
              disabled={group.nodes.length === 1}
              onClick={() => removeNode(i)}
            />
          </div>
        ),
      )}
      <div className={styles.add}>
        <Button variant="plain" icon={IconAdd} onClick={() => setNodes([...group.nodes, newCondition('genre', 'is')])}>
          {t('rules.add')}
        </Button>
        {depth < MAX_DEPTH && (
          <Button
            variant="plain"
            icon={IconAdd}
            onClick={() =>
              setNodes([...group.nodes, { ...emptyGroup(), joiner: group.joiner === 'all' ? 'any' : 'all' }])
            }
          >
            {t('rules.addGroup')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
