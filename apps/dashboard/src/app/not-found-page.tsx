import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="No such page" description="The address may be mistyped, or the page has moved." />
      <Button component={Link} to="/welcome">
        To the first page
      </Button>
    </>
  );
}
