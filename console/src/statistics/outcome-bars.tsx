// The chart library is large, so outcome-chart.tsx loads this file only when it is needed.
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { type Outcome, outcomes } from './outcomes.ts';

interface OutcomeBarsProps {
  points: readonly ({ time: string } & Record<Outcome, number>)[];
}

export function OutcomeBars({ points }: OutcomeBarsProps) {
  return (
    <BarChart
      h={240}
      data={[...points]}
      dataKey="time"
      type="stacked"
      series={[...outcomes]}
      withLegend
      legendProps={{ verticalAlign: 'bottom' }}
      valueFormatter={(value) => value.toLocaleString('en')}
      gridAxis="xy"
      yAxisLabel="Attempts"
      yAxisProps={{ allowDecimals: false, width: 60 }}
      barProps={{ isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
