import { Button, Menu } from '@mantine/core';
import { Bookmark, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAccount } from '../../api/account.ts';
import type { RequestFilter } from '../../api/requests.ts';
import { Foreign } from '../../components/values.tsx';
import { addFilter, describeFilter, filterAddress, readFilters, writeFilters } from './stored-filters.ts';

/** The filters that the user has saved in this browser, and a function that replaces them. */
function useSavedFilters() {
  const accountId = useAccount().data?.id ?? '';
  const [, setVersion] = useState(0);
  const write = (filters: readonly RequestFilter[]) => {
    writeFilters(localStorage, accountId, filters);
    setVersion((version) => version + 1);
  };
  return [readFilters(localStorage, accountId), write] as const;
}

/** A menu with the filters that the user has saved in this browser. */
export function SavedFilters({ filter }: { readonly filter: RequestFilter }) {
  const [saved, write] = useSavedFilters();
  const navigate = useNavigate();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<Bookmark size={16} aria-hidden />}>
          Saved filters
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {saved.map((each) => (
          <Menu.Item key={filterAddress(each)} onClick={() => void navigate(filterAddress(each))}>
            <Foreign>{describeFilter(each)}</Foreign>
          </Menu.Item>
        ))}
        {saved.length === 0 ? <Menu.Label>No saved filters</Menu.Label> : <Menu.Divider />}
        <Menu.Item
          leftSection={<Plus size={14} aria-hidden />}
          disabled={Object.keys(filter).length === 0}
          onClick={() => write(addFilter(saved, filter))}
        >
          Save these filters
        </Menu.Item>
        <Menu.Item
          leftSection={<Trash2 size={14} aria-hidden />}
          disabled={saved.length === 0}
          onClick={() => write([])}
        >
          Delete all saved filters
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
