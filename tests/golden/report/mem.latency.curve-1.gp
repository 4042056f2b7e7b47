# gnuplot mem.latency.curve-1.gp draws mem.latency.curve-1.svg and mem.latency.curve-1.png from mem.latency.curve-1.dat (gnuplot 5.4 or newer)
set encoding utf8
if (!exists('out')) out = 'mem.latency.curve-1'
data = './mem.latency.curve-1.dat'
set border 3 linewidth 1 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#E4E4E4'
set key top left reverse Left opaque noenhanced font ',12' samplen 2
set title 'mem.latency.curve on sim:plain, SIMULATED' noenhanced textcolor rgb '#222222'
set label 90 'SIMULATED' at graph 0.5, 0.5 center rotate by 24 font ',72' textcolor rgb '#EEE6DA' noenhanced back
set logscale x 2
set xtics ('2 KiB' 2048, '8 KiB' 8192, '32 KiB' 32768, '128 KiB' 131072, '512 KiB' 524288, '2 MiB' 2097152, '8 MiB' 8388608, '32 MiB' 33554432)
set xrange [2047.9999979520001:67108864.06710887]
set logscale y 10
set ytics ('10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
set yrange [9.9999999900000009:1000.0000010000001]
set xlabel 'ring_bytes' noenhanced
set ylabel 'cycles' noenhanced
set arrow 1 from graph 0, first 33 to graph 1, first 33 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 1 'plateau.1 33 cycles' at graph 1.012, first 33 left noenhanced textcolor rgb '#444444' font ',12'
set arrow 2 from graph 0, first 200 to graph 1, first 200 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 2 'plateau.2 200 cycles' at graph 1.012, first 200.00000000000003 left noenhanced textcolor rgb '#444444' font ',12'
set arrow 3 from graph 0, first 320 to graph 1, first 320 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 3 'plateau.3 320 cycles' at graph 1.012, first 319.99999999999989 left noenhanced textcolor rgb '#444444' font ',12'
set arrow 4 from graph 0, first 600 to graph 1, first 600 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 4 'plateau.4 600 cycles' at graph 1.012, first 599.99999999999966 left noenhanced textcolor rgb '#444444' font ',12'
set rmargin 24
set terminal unknown
plot \
    data index 0 using 1:2:3:4 with yerrorbars linewidth 1 pointtype -1 linecolor rgb '#0072B2' notitle, \
    data index 0 using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.6 linecolor rgb '#0072B2' title 'op ca' noenhanced
set terminal svg size 960,540 dynamic mouse standalone noenhanced font 'Helvetica,14' background '#FFFFFF'
set output out.'.svg'
replot
unset output
if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {
    set terminal pngcairo size 1440,810 noenhanced font 'Sans,16' background '#FFFFFF'
} else {
    set terminal png size 1440,810 noenhanced
}
set output out.'.png'
replot
unset output
